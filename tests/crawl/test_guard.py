"""Which addresses are public."""

from __future__ import annotations

import pytest

pytest.importorskip("scrapy")

from templatemine.crawl.guard import is_public

PRIVATE = (
    *("127.0.0.1", "127.8.9.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1"),
    *("169.254.169.254", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1"),
    *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2002:a00:1::"),
    *("", "localhost", "1.2.3"),
)


@pytest.mark.parametrize("address", PRIVATE)
def test_private(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "93.184.215.14", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_public(address: str) -> None:
    assert is_public(address)
