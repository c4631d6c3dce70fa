"""The tables of benchmarks, from reports as a quiet and as a noisy machine writes them."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import bench  # noqa: E402
import gpu  # noqa: E402
import kernels  # noqa: E402
import machines  # noqa: E402


def run(kept, ours=2.0, standard=1.0):
    count = len(kept)
    return {"flops": 1e9, "peers": ["peer"], "standard": {"algorithm": "direct", "implementation": "a"},
            "best": {"algorithm": "direct", "implementation": "a"},
            "ours": {"compile_seconds": 1, "fast_compile_seconds": 1},
            "rounds": {"kept": kept, "probe_gflops": {"ours": [100.0] * count},
                       "seconds": {"ours": [ours] * count, "ours_fast": [2 * ours] * count,
                                   "standard": [standard] * count, "best": [standard] * count}}}


def report(*runs):
    return {"workload": "C1", "runs": list(runs)}


def table(*reports):
    return kernels.table({"command": "c", "machine": "m", "peak": 1, "peers": "p", "processes": 1, "tuned": "",
                          "workloads": list(reports)})


class TablesTest(unittest.TestCase):
    def test_a_machine_that_was_never_quiet_gives_marked_figures(self):
        row = kernels.Row(report(run([False, False]), run([False])))
        self.assertTrue(row.disturbed)
        self.assertEqual(row.least("ours"), 2.0)
        self.assertIn("| 0/3, disturbed |", table(report(run([False, False]), run([False]))))

    def test_a_process_without_a_quiet_round_leaves_the_row_to_the_others(self):
        row = kernels.Row(report(run([False], ours=0.1), run([True, False], ours=3.0)))
        self.assertFalse(row.disturbed)
        self.assertEqual(row.least("ours"), 3.0)
        self.assertIn("| 1/3 |", table(report(run([False]), run([True, False]))))

    def test_both_tables_give_our_time_over_the_peers(self):
        row = kernels.Row(report(run([True], ours=3.0, standard=1.5)))
        self.assertEqual(row.ratio("ours", "standard"), 2.0)
        self.assertEqual(row.ratio_of_minima("ours", "standard"), 2.0)
        self.assertEqual(row.ratio("ours_fast", "ours"), 2.0)
        networks = bench.table({"command": "c", "machine": "m", "peer": "1", "rounds": 1, "tune": 0, "rows": [
            {"name": "n", "threads": 1, "error": 0, "ours_ms": [[3.0]], "peer_ms": [[1.5]]}]})
        self.assertIn("| 1.50 | 3.00 | 2.00 | 2.00 | - | - |", networks)
        for text in (networks, table(report(run([True])))):
            self.assertIn("our time over the peer's (below 1: we are faster)", text)

    def test_what_was_tuned_has_columns_of_its_own(self):
        one = run([True], ours=3.0, standard=1.5)
        one["rounds"]["seconds"]["tuned"] = [1.2]
        self.assertIn("| 2.00 | 2.00 | 1200 | 0.80 |", table(report(one)))
        self.assertIn("| 2.00 | 2.00 | - | - |", table(report(run([True], ours=3.0, standard=1.5))))
        networks = bench.table({"command": "c", "machine": "m", "peer": "1", "rounds": 2, "tune": 60, "rows": [
            {"name": "n", "threads": 1, "error": 0, "ours_ms": [[3.0], [3.0]], "peer_ms": [[1.5], [1.5]],
             "tuned_ms": [[1.2], [0.9]]}, {"name": "f", "threads": 1, "failure": "crashed"}]})
        self.assertIn("| 2.00 | 0.90 | 0.70 |", networks)
        self.assertIn("| f | 1 | crashed |", networks)

    def test_each_kind_of_processor_has_files_of_its_own(self):
        self.assertEqual(machines.kind_of({"vendor_id": "AuthenticAMD", "cpu family": "26", "model": "2"}), "amd_26")
        self.assertEqual(machines.kind_of({"vendor_id": "GenuineIntel", "cpu family": "6", "model": "143"}),
                         "intel_6_143")
        self.assertTrue(machines.kind_of({}))
        self.assertIn("cores", machines.title())

    def test_a_gpus_table_has_speeds_models_and_what_went_wrong(self):
        def item(name, **more):
            return {"name": name, "flops": 2e9, "bytes": 1e6, "modelled": {"h200": {"seconds": 1.2e-3}}, **more}

        arms = [{"name": "ours", "seconds": [1e-3, 1e-3], "graph": True}, {"name": "cuBLAS", "seconds": [2e-3, 3e-3]}]
        report = {"device": {"name": "NVIDIA H200", "CUDA version of the driver": 13000}, "generator": "g", "rounds": 2,
                  "seconds": 9, "finished": True, "peers": {"cuBLAS": {"version": "13"}, "cuDNN": {"why": "not here"}},
                  "checks": [{"name": "a", "ok": True}, {"name": "b", "ok": False, "why": "element 3 is 1"}],
                  "roofs": [{"name": "read", "rate": 4e12, "unit": "bytes a second"}],
                  "patterns": [{"name": "p", "bytes": 16, "passes": 4, "cycles": 8.0}],
                  "times": [item("S512", ok=True, arms=arms), item("S64", left_out="the time was up")]}
        text = gpu.table(report)
        self.assertIn("driver of CUDA 13.0", text)
        self.assertIn("1 of 2 kernels of the GPU test set are right, 1 of 2 timed ones; 1 were left out", text)
        self.assertIn("| S512 | 1000 | 2 | 1 | 1200 | 1.20 | yes | 2.50 |", text)
        self.assertIn("| S64 | the time was up |", text)
        self.assertIn("1 of 1 within 1.3x, 0 within 1.15x", text)
        self.assertIn("| read | 4000 GB/s |", text)
        self.assertIn("| 16 | 1 | 0 | p: 8.00 cycles, 4 passes |", text)
        self.assertIn("- b: element 3 is 1", text)
        self.assertIn("- cuDNN: not here", text)
        self.assertEqual(gpu.kind_of("NVIDIA H200"), "nvidia_h200")
        self.assertIn("no driver", gpu.table({"why": "no driver", "finished": False}))

    def test_what_came_from_a_gpu_is_kept_by_its_name(self):
        report = {"device": {"name": "Some GPU 2", "CUDA version of the driver": 12040}, "generator": "g", "rounds": 1,
                  "seconds": 1, "finished": False, "checks": [], "roofs": [], "patterns": [], "times": []}
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(gpu, "RESULTS", Path(folder)):
            file = Path(folder) / "came.json"
            for one, code in ((report, 0), ({"why": "no driver"}, 1)):
                file.write_text(json.dumps(one))
                with contextlib.redirect_stdout(io.StringIO()):
                    self.assertEqual(gpu.take(file), code)
            self.assertEqual(json.loads((Path(folder) / "gpu_some_gpu_2.json").read_text()), report)
            self.assertIn("ended before it was done", (Path(folder) / "gpu_some_gpu_2.md").read_text())

    def test_a_workload_that_failed_says_why(self):
        self.assertIn("| C1 | crashed |", table({"workload": "C1", "failure": "crashed"}))


if __name__ == "__main__":
    unittest.main()
