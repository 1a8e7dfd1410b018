"""Tell public network addresses from others: what fetches pages, or lets them fetch, connects to no others."""

from __future__ import annotations

import ipaddress

_EMBEDDING_NETWORKS = (
    ("::/96", 0, True),  # IPv4-compatible (RFC 4291, section 2.5.5.1; deprecated)
    ("::ffff:0:0/96", 0, True),  # IPv4-mapped (RFC 4291, section 2.5.5.2)
    ("::ffff:0:0:0/96", 0, True),  # IPv4-translated (RFC 2765, section 2.1)
    ("64:ff9b::/96", 0, True),  # NAT64, the well-known prefix (RFC 6052, section 2.1)
    ("2002::/16", 80, False),  # 6to4 (RFC 3056, section 2)
)
"""IPv6 networks whose addresses carry an IPv4 address that traffic is handed on to: the network, the bits that follow
the IPv4 address, and whether that address alone decides (a gateway or the system itself replaces the one by the
other)."""

_NETWORKS = tuple((ipaddress.IPv6Network(network), after, alone) for network, after, alone in _EMBEDDING_NETWORKS)

_LOCAL_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")
"""NAT64 of an operator's own (RFC 8215): where in an address the IPv4 address is, is the operator's affair."""

_SITE_LOCAL = ipaddress.IPv6Network("fec0::/10")
"""RFC 3879; deprecated, and routed within a site by some systems."""


def is_public(address: str) -> bool:
    """Return whether an IP address is one that the whole network can reach (the registries of RFC 6890), and no
    group's.

    IPv6 addresses that carry an IPv4 address (compatible, mapped, translated, NAT64, 6to4, Teredo) are judged by that
    one too.
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv4Address):
        return _is_global(found)
    if found in _LOCAL_NAT64 or found in _SITE_LOCAL:
        return False
    for network, after, alone in _NETWORKS:
        if found in network:
            carried = ipaddress.IPv4Address(int(found) >> after & 0xFFFFFFFF)
            return _is_global(carried) and (alone or _is_global(found))
    server_and_client = found.teredo or ()  # RFC 4380
    return _is_global(found) and all(map(_is_global, server_and_client))


def _is_global(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return address.is_global and not address.is_multicast
