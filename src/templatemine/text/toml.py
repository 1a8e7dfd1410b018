"""Tables of a user's own out of a TOML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from templatemine.errors import ConfigError, unreadable


def load_toml(path: str | Path) -> dict[str, Any]:
    """Return a file as tomllib reads it, with or without the byte order mark that editors on Windows write.

    Raises
    ------
    OSError, ValueError
        It cannot be read, or is no TOML in UTF-8.
    """
    import tomllib

    with open(path, "rb") as handle:
        return tomllib.loads(handle.read().decode("utf-8-sig"))


def read_toml_tables(path: str | Path, name: str) -> list[dict[str, Any]]:
    """Return the ``[[name]]`` tables of a file that holds nothing else.

    Raises
    ------
    ConfigError
        It cannot be read, or is something else.
    """
    try:
        data = load_toml(path)
    except OSError as error:
        raise ConfigError(f"{path}: {unreadable(error)}") from error
    except ValueError as error:
        raise ConfigError(f"{path}: not TOML: {str(error).replace('(at line ', '(line ')}") from error
    rows = data.get(name)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows) or set(data) != {name}:
        raise ConfigError(f"{path}: expected [[{name}]] tables and nothing else")
    return rows
