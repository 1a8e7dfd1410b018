"""Which addresses are public.  Nothing is looked up or connected to."""

from __future__ import annotations

import pytest

from templatemine.io.addresses import is_public

PRIVATE = (
    *("127.0.0.1", "127.8.9.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1"),
    *("169.254.169.254", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1"),
    *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "ff0e::1", "2001:db8::1", "fec0::1", "feff::1"),
    *("", "localhost", "1.2.3"),
)

INNER = ("127.0.0.1", "10.0.0.1", "169.254.169.254", "224.0.0.1", "0.0.0.0")


def carriers(address: str) -> dict[str, str]:
    """The IPv6 addresses that carry an IPv4 address."""
    octets = [int(part) for part in address.split(".")]
    high, low = octets[0] << 8 | octets[1], octets[2] << 8 | octets[3]
    return {
        "compatible": f"::{address}",
        "mapped": f"::ffff:{address}",
        "translated": f"::ffff:0:{address}",
        "NAT64": f"64:ff9b::{address}",
        "NAT64 of an operator": f"64:ff9b:1::{address}",
        "NAT64 of an operator, /48": f"64:ff9b:1:{high:x}:{low >> 8:x}:{(low & 0xFF) << 8:x}::",
        "6to4": f"2002:{high:x}:{low:x}::1",
        "Teredo, client": f"2001:0:808:808:0:0:{high ^ 0xFFFF:x}:{low ^ 0xFFFF:x}",
        "Teredo, server": f"2001:0:{high:x}:{low:x}:0:0:f7f7:f7f7",
    }


@pytest.mark.parametrize("address", PRIVATE)
def test_private(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("kind", carriers("0.0.0.0"))
@pytest.mark.parametrize("address", INNER)
def test_a_private_address_within_another_is_private(kind: str, address: str) -> None:
    assert not is_public(carriers(address)[kind])


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.215.14", "2606:4700::1111"])
def test_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("kind", ["compatible", "mapped", "translated", "NAT64", "6to4"])
def test_a_public_address_within_another_is_public(kind: str) -> None:
    assert is_public(carriers("1.1.1.1")[kind])
