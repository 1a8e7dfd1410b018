"""A history of news sites, fetched politely and over days; needs the extra ``crawl``."""
