"""Which network addresses are public: what fetches pages, or lets them fetch, connects to no others."""

from __future__ import annotations

import ipaddress

__all__ = ["is_public"]

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""IPv6 addresses that a gateway turns into the IPv4 address in their last 32 bits (RFC 6052)."""


def is_public(address: str) -> bool:
    """Whether an IP address is one that the whole network can reach (the registries of RFC 6890), and no group's.

    IPv6 addresses that carry an IPv4 address (mapped, 6to4, Teredo, NAT64) are judged by that one too.
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        inner = [found.ipv4_mapped, found.sixtofour, *(found.teredo or ())]
        if found in _NAT64:
            inner.append(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF))
        carried = [one for one in inner if one is not None]
        if found.ipv4_mapped or found in _NAT64:
            return all(_global(one) for one in carried)
        return _global(found) and all(_global(one) for one in carried)
    return _global(found)


def _global(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return address.is_global and not address.is_multicast
