"""Training of the page model: pages with their main text, labels, invented comments, the table of trees."""
