"""The edges of the program: archives in (`read`, with one module a format) and files out (`write`)."""
