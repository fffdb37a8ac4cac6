"""What a browser gets: pages, labs, data, static files, and the headers of every answer."""
