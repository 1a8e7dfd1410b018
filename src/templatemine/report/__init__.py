"""Reports for people: templates and their effect, as data, drawings and one HTML file."""
