#!/usr/bin/env python3
"""Writes onnx_attributes.txt from the schemas of the installed Python package onnx.

One line per attribute of ONNX's own operators: operator, attribute, the opset that brought it, the last
one that has it (- where the newest has), its default (- where there is none).
"""

import pathlib

import onnx
from onnx import defs, helper


def shown(attribute):
    if not attribute.default_value.name:
        return "-"
    value = helper.get_attribute_value(attribute.default_value)
    if isinstance(value, bytes):
        return "'" + value.decode() + "'"
    return "[...]" if isinstance(value, list) else str(value)


def main():
    versions = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            versions.setdefault(schema.name, {})[schema.since_version] = schema
    lines = [f"# Attributes by opset, to {defs.onnx_opset_version()}, from the schemas of onnx "
             f"{onnx.__version__}; written by onnx_attributes.py"]
    for name, schemas in sorted(versions.items()):
        order, rows = sorted(schemas), {}
        for place, version in enumerate(order):
            last = "-" if place + 1 == len(order) else str(order[place + 1] - 1)
            for attribute in schemas[version].attributes.values():
                since = rows[attribute.name][0] if attribute.name in rows else version
                rows[attribute.name] = (since, last, shown(attribute))
        lines += [f"{name} {attribute} {row[0]} {row[1]} {row[2]}" for attribute, row in sorted(rows.items())]
    path = pathlib.Path(__file__).with_suffix(".txt")
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
