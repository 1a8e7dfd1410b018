"""Crawls news sites and their feeds into an archive, politely, over days; needs the extra ``crawl``."""
