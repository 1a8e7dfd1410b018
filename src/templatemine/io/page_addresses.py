"""Addresses of pages, told apart by where they lead: one page is captured under many.

Within an archive `http://www.a.example/x/?utm_source=b#top` and `https://a.example/x` are one article.  RFC 3986,
section 6.2, lists equal addresses; the rest is added by news sites and by pages that link to them.
"""

from __future__ import annotations

import re

_TRACKING = re.compile(
    r"utm_|mtm_|pk_|hsa_|mc_[ce]id$|_hs|_ga|at_(?:medium|campaign|custom|link)|wt[._]|ns_|itm_|"
    r"(?:fb|g|dc|ms|ys|tw|tt|y|li_fat_)cl?id$|igshid$|gclsrc$|[gw]braid$|ocid$|cmpid$|cmp$|smid$|smtyp$|"
    r"ref$|ref_src$|referrer$|source$|src$|via$|share$|shared$|amp$|outputtype$|campaign_?id$|ftag$|xtor$|sh$|si$",
    re.IGNORECASE,
)
"""Beginnings of names of parameters that track readers, and do not identify the page."""
_ADDRESS = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
"""Host, path, query and fragment (RFC 3986, appendix B); `urllib.parse.urlsplit` takes four times as long."""


def canonical_address(address: str | None) -> str | None:
    """Reduce an address to the common form of all addresses of its page; None for one that leads to no article: none,
    or that of a site.

    Scheme, ``www.``, default port, fragment, parameters of tracking, order of parameters and the last slash are left
    out.

    Examples
    --------
    >>> canonical_address("https://WWW.a.example:443/x/?utm_source=b&id=3#top")
    'a.example/x?id=3'
    >>> canonical_address("https://a.example/") is None
    True
    """
    found = _ADDRESS.fullmatch((address or "").strip())
    if found is None:  # as there is one for every string, for the type checker
        return None
    authority, path, query, fragment = found.groups(default="")
    host = authority.lower().rpartition("@")[2].removeprefix("www.")
    for port in (":", ":80", ":443"):
        host = host.removesuffix(port)
    path = path.rstrip("/")
    if query:
        parameters = sorted(part for part in query.split("&") if part and not _TRACKING.match(part.partition("=")[0]))
        query = "?" + "&".join(parameters) if parameters else ""
    # Single-page sites have the address of an article behind "#!" or "#/".
    place = f"#{fragment}" if fragment[:1] in ("!", "/") else ""
    return f"{host}{path}{query}{place}" if path or query or place else None
