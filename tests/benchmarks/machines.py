"""The machine that measures: each kind of processor has tables of its own, none overwrites another's."""

import os
import platform
from pathlib import Path


def processor():
    """What /proc/cpuinfo says of the first processor."""
    facts = {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if ":" not in line:
            break
        key, value = line.split(":", 1)
        facts[key.strip()] = value.strip()
    return facts


def kind_of(facts):
    """A word for file names: amd_26 for Zen 5, intel_6_143; AMD's family alone says the generation."""
    vendor = {"AuthenticAMD": "amd", "GenuineIntel": "intel"}.get(facts.get("vendor_id", ""))
    if vendor is None or "cpu family" not in facts:
        return platform.machine()
    words = [vendor, facts["cpu family"]]
    if vendor == "intel":
        words.append(facts.get("model", "0"))
    return "_".join(words)


def kind():
    return kind_of(processor())


def title():
    facts = processor()
    return "%s (family %s, model %s), %d cores, %s" % (
        facts.get("model name", "?"), facts.get("cpu family", "?"), facts.get("model", "?"),
        os.cpu_count(), platform.platform())
