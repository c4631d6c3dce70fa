#!/usr/bin/env python3
"""ONNX's node tests, through `tw verify`.

    python node_tests.py write FOLDER     the tests of the installed package onnx, one folder each
                                          (wants that package: pip install onnx in an environment)
    python node_tests.py run FOLDER...    runs them, prints how many passed, failed and were skipped,
                                          and why; exit code 1 when one failed (wants nothing)

A test of ../compile/conformance_failures.txt fails for a reason that lies in the test: it is counted apart.

A folder of tests holds NAME/model.onnx and NAME/test_data_set_N/{input,output}_M.pb, as the packages
libonnx-testdata and onnx have them.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

BATCH = 60  # folders of one call: a crash costs no more than these, which then run one by one
SECONDS = 600
LISTED = pathlib.Path(__file__).parent.parent / "compile" / "conformance_failures.txt"


def listed_failures():
    """Tests whose stored data are wrong, each with the reason."""
    lines = [line for line in LISTED.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines)


def write_value(value, declared, file):
    from onnx import TensorProto, numpy_helper
    if not isinstance(value, TensorProto):
        makers = {"map_type": numpy_helper.from_dict, "sequence_type": numpy_helper.from_list,
                  "optional_type": numpy_helper.from_optional, "tensor_type": numpy_helper.from_array}
        value = makers[declared.type.WhichOneof("value")](value, declared.name)
    file.write_bytes(value.SerializeToString())


def write(options):
    import onnx.backend.test.case.node as node_cases
    cases = node_cases.collect_testcases()
    for case in cases:
        folder = options.folder / case.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.onnx").write_bytes(case.model.SerializeToString())
        for number, (inputs, outputs) in enumerate(case.data_sets):
            data = folder / f"test_data_set_{number}"
            data.mkdir(exist_ok=True)
            for kind, values, declared in (("input", inputs, case.model.graph.input),
                                           ("output", outputs, case.model.graph.output)):
                for place, (value, name) in enumerate(zip(values, declared)):
                    write_value(value, name, data / f"{kind}_{place}.pb")
    print(f"{len(cases)} tests written to {options.folder}")
    return 0


def verified(tw, folders):
    """The outcome and reason of each folder; the worst of its test sets."""
    command = [str(tw), "--json", "verify", "--threads", "1", *map(str, folders)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        sets = json.loads(done.stdout)["sets"]
    except (subprocess.TimeoutExpired, ValueError, KeyError) as error:
        if len(folders) > 1:
            return [row for folder in folders for row in verified(tw, [folder])]
        how = "no answer in time" if isinstance(error, subprocess.TimeoutExpired) else \
            f"tw ended with {done.returncode}: {done.stderr.strip()[-200:]}"
        return [(folders[0].name, "FAILED", how)]
    rank = ["passed", "skipped", "FAILED"]
    worst = {}
    for row in sets:
        before = worst.get(row["model"], ("passed", ""))
        if rank.index(row["outcome"]) >= rank.index(before[0]):
            worst[row["model"]] = (row["outcome"], row["reason"])
    return [(name, *outcome) for name, outcome in worst.items()]


def run(options):
    folders = sorted(model.parent for folder in options.folders
                     for model in folder.rglob("model.onnx") if options.only in str(model.parent))
    if not folders:
        print("no test was found", file=sys.stderr)
        return 2
    rows = []
    for first in range(0, len(folders), BATCH):
        rows += verified(options.tw, folders[first:first + BATCH])
    listed = listed_failures()
    rows = [(name, "listed" if outcome == "FAILED" and name in listed else outcome, reason)
            for name, outcome, reason in rows]
    for name, outcome, reason in rows:
        if outcome == "listed":
            print(f"{name}: fails as listed: {listed[name]}")
        if outcome == "FAILED" or (options.skipped and outcome == "skipped"):
            print(f"{name}: {outcome}: {reason}")
    reasons = collections.Counter(reason for _, outcome, reason in rows if outcome == "skipped")
    for reason, count in reasons.most_common():
        print(f"{count:5} skipped: {reason}")
    counts = collections.Counter(outcome for _, outcome, _ in rows)
    print(f"{counts['passed']} passed, {counts['FAILED']} failed, {counts['skipped']} skipped, "
          f"{counts['listed']} with wrong stored data, of {len(folders)}")
    return 1 if counts["FAILED"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    writing = commands.add_parser("write", help="write the tests of the package onnx")
    writing.add_argument("folder", type=pathlib.Path)
    writing.set_defaults(act=write)
    running = commands.add_parser("run", help="run tests and count")
    running.add_argument("folders", type=pathlib.Path, nargs="+")
    running.add_argument("--tw", type=pathlib.Path, default=pathlib.Path("build/bin/tw"))
    running.add_argument("--only", default="", help="tests whose path holds this")
    running.add_argument("--skipped", action="store_true", help="name those that are skipped, too")
    running.set_defaults(act=run)
    options = parser.parse_args()
    return options.act(options)


if __name__ == "__main__":
    sys.exit(main())
