"""Files of any bytes, by every reader: records, or errors as they are documented; JSON as `json` reads it."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from typing import Any

from common.choices import Choices
from common.session import instrumented, run

with instrumented():
    from templatemine.config import ReadConfig
    from templatemine.errors import CorpusError
    from templatemine.io import arc, arrow, csv, feed, jsonl, parquet, wacz, warc  # noqa: F401
    from templatemine.io.files import Report
    from templatemine.io.http_body import decode_body
    from templatemine.io.read import read_batch, read_batches, read_records

MOST = 1 << 16
"""Bytes of a record, and of what a packed one unfolds to."""

CONFIG = ReadConfig(max_record=MOST)
FORMATS = ("jsonl", "csv", "tsv", "warc", "arc", "rss", "xml", "html", "parquet", "arrow", "wacz")
CODINGS = ("", "gzip", "deflate", "br", "zstd", "gzip, deflate", "identity", "x")
PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zX", b"\x04\x22\x4d\x18")
SHOWN = 400
"""Characters of a message; it may quote what was found, but no file."""

FOLDER = tempfile.mkdtemp(prefix="templatemine-fuzz-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


def gather(path: str) -> tuple[list[Any], list[CorpusError]]:
    """Records and errors, as a run of the program gets them; a fatal error is the last."""
    records: list[Any] = []
    errors: list[CorpusError] = []
    raised: CorpusError | None = None
    try:
        for record in read_records(path, CONFIG, Report(errors.append)):
            document = record.document
            assert isinstance(document.source, str)  # "" is a name as any other
            assert document.id
            assert (document.text is None) != (document.html is None) or record.fields
            records.append((record.where, document, record.fields))
    except CorpusError as error:
        errors.append(error)
        raised = error
    assert raised is None or raised.fatal
    assert not any(error.fatal for error in errors[:-1])
    for error in errors:
        assert "\n" not in str(error)
        assert len(str(error).replace(FOLDER, "")) < SHOWN, str(error)
    return records, errors


def same_fields(one: Any, other: Any) -> bool:
    """Equal, with not-a-number equal to itself."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def check_lines(data: bytes, records: list[Any], path: str) -> None:
    """Lines are read for what the module of the standard library reads, and by batches the same."""
    fields = []
    for line in data.split(b"\n"):
        try:
            value = json.loads(line.decode().removeprefix("\ufeff").rstrip("\r\n"))
        except (ValueError, RecursionError):
            continue
        fields.append(value)
    read = iter(fields)
    for _, _, own in records:
        assert any(same_fields(own, value) for value in read), own
    errors: list[CorpusError] = []
    report = Report(errors.append)
    batched = [
        (where, own)
        for work in read_batches([path], CONFIG, report, 3, 200)
        for _, where, own, _ in read_batch(work, CONFIG, report)
    ]
    assert [where for where, _ in batched] == [where for where, _, _ in records]
    assert all(same_fields(own, row[2]) for (_, own), row in zip(batched, records, strict=True))
    for _, own in batched:
        assert same_fields(jsonl.decode_line(jsonl.encode_line(own)), own)


def check_body(choices: Choices) -> None:
    """A body of HTTP: decoded, or refused with a `ValueError`."""
    transfer, content = choices.pick(("", "chunked", "x")), choices.pick(CODINGS)
    try:
        body, _ = decode_body(choices.rest(), transfer, content, MOST)
    except ValueError:
        return
    assert len(body) <= MOST


def one(data: bytes) -> None:
    choices = Choices(data)
    kind = choices.number(len(FORMATS) + 1)
    if kind == len(FORMATS):
        check_body(choices)
        return
    suffix = FORMATS[kind]
    path, content = f"{FOLDER}/a.{suffix}", choices.rest()
    with open(path, "wb") as file:
        file.write(content)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        records, errors = gather(path)
        again, same = gather(path)
    assert [row[0] for row in again] == [row[0] for row in records]
    assert list(map(str, same)) == list(map(str, errors))
    if suffix == "jsonl" and not content.startswith(PACKED):
        check_lines(content, records, path)


if __name__ == "__main__":
    run(one)
