"""What was learnt and what is cut, for people to look at: data of packs and archives, drawings and one HTML file."""
