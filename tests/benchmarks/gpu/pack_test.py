"""The pack for a machine with a GPU, made small and run whole on a stand-in for NVIDIA's driver."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKER, RUNNER, DRIVER, CUBLAS, CUDNN = map(Path, sys.argv[1:6])
CHECKS = ["softmax", "product_async", "conv_padded", "product_bytes", "total_long"]


@unittest.skipUnless(" fma " in Path("/proc/cpuinfo").read_text().replace("\n", " "),
                     "kernels on the stand-in are of x86-64-v3, which this processor is not")
class PackTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name) / "pack"
        checks = [word for name in CHECKS for word in ("--check", name)]
        done = subprocess.run([PACKER, cls.folder, "--runner", RUNNER, "--small", "--stand-in", *checks],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        cls.pack = json.loads((cls.folder / "pack.json").read_text())

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_pack(self, *arguments, driver=DRIVER, cublas="/no/such/file", cudnn="/no/such/file", limit="20",
                 code=0, **environment):
        out = Path(self.temporary.name) / "results.json"
        out.unlink(missing_ok=True)
        done = subprocess.run(
            ["sh", self.folder / "run.sh", "--driver", driver, "--out", out, "--rounds", "2", "--least-sample", "1e-6",
             "--most-bytes", str(20 << 20), "--limit", limit, "--cublas", cublas, "--cudnn", cudnn, *arguments],
            capture_output=True, text=True,
            env={**os.environ, "PYTHON": "/no/such/python", "TW_STAND_IN_CODE": str(self.folder / "stand_in"),
                 **environment})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(out.read_text()), done.stdout

    def named(self, results, part, name):
        return next(one for one in results[part] if one["name"] == name)

    def changed(self, change):
        """The pack's list with a change, until the test is over."""
        file = self.folder / "pack.json"
        before = file.read_text()
        self.addCleanup(file.write_text, before)
        pack = json.loads(before)
        change(pack)
        file.write_text(json.dumps(pack))

    def only(self, *names):
        self.changed(lambda pack: pack.update(
            items=[one for one in pack["items"] if one["name"] in names], patterns=pack["patterns"][:1]))

    def test_all_is_checked_and_timed(self):
        results, said = self.run_pack(cublas=CUBLAS, cudnn=CUDNN)
        self.assertTrue(results["finished"])
        self.assertEqual(results["device"]["name"], "Stand-in")
        self.assertEqual(len(results["checks"]), len(CHECKS), said)
        times = results["times"]
        self.assertEqual(len(times), 22)
        for one in results["checks"] + times:
            self.assertTrue(one["ok"], one)
        self.assertEqual({one["form"] for one in results["checks"]}, {"ptx"})  # the stand-in reads no assembled code
        for one in times:
            self.assertEqual(len(one["arms"][0]["seconds"]), 2)
            self.assertGreater(one["modelled"]["h200"]["seconds"], 0)
        product = self.named(results, "times", "S48")
        self.assertEqual([arm["name"] for arm in product["arms"]], ["ours", "cuBLAS"])
        self.assertLess(product["arms"][1]["error"], 1e-6)
        for name in ("skinny", "B16", "matrix_vector"):
            self.assertEqual(self.named(results, "times", name)["arms"][1]["name"], "cuBLAS")
        for name in ("C2_batch2", "C5", "C1", "D3"):
            one = self.named(results, "times", name)
            self.assertEqual(len(one["arms"]), 2, one)
            arm = one["arms"][1]
            self.assertEqual((arm["name"], arm["algorithm"]), ("cuDNN", 1))
            self.assertLess(arm["error"], 1e-6)
        self.assertGreater(len(results["roofs"]), 3)
        for one in results["patterns"]:
            self.assertEqual(one["cycles"], one["passes"], one)

    def test_peers_that_are_not_there_are_said(self):
        self.only("add")
        results, _ = self.run_pack()
        self.assertEqual(results["peers"]["cuBLAS"]["why"], "no cuBLAS was found")
        self.assertEqual(results["peers"]["cuDNN"]["why"], "no cuDNN was found")
        self.assertIn("no PyTorch was found", results["peers"]["PyTorch"]["why"])
        self.assertTrue(results["finished"])

    def test_pytorch_answers_from_a_process_of_its_own(self):
        self.only("S48", "softmax", "add")
        results, _ = self.run_pack(PYTHON=sys.executable,
                                   PYTHONPATH=str(Path(__file__).resolve().parent / "stand_in" / "python"))
        self.assertEqual(results["peers"]["PyTorch"], {"version": "stand-in"})
        for name in ("S48", "add"):
            arm = self.named(results, "times", name)["arms"][1]
            self.assertEqual((arm["name"], arm["graph"], len(arm["seconds"])), ("PyTorch", True, 2))
            self.assertGreater(min(arm["seconds"]), 0)
        softmax = self.named(results, "times", "softmax")
        self.assertIn("PyTorch says: AttributeError", softmax["failures"]["PyTorch"])
        self.assertTrue(softmax["ok"])

    def test_a_wrong_reference_is_found(self):
        def change(pack):
            samples = next(one for one in pack["items"] if one["name"] == "S48")["outputs"][0]["samples"]
            samples["value"][5] += 0.01
            softmax = next(one for one in pack["items"] if one["name"] == "check_softmax")["outputs"][0]
            softmax["low"], softmax["high"] = softmax["high"], softmax["low"]
        self.changed(change)
        results, said = self.run_pack(code=1)
        self.assertIn("of the largest sampled element", self.named(results, "times", "S48")["why"])
        self.assertRegex(self.named(results, "checks", "check_softmax")["why"],
                         r"element 0 of output 0 is 0\.\d+, not between")
        self.assertIn("2 wrong or failed", said)

    def test_a_hang_ends_its_process_alone(self):
        self.only("check_softmax", "check_conv_padded", "add")
        results, _ = self.run_pack(limit="3", code=1, TW_STAND_IN_HANG="tw_check_conv_padded_1")
        self.assertEqual(self.named(results, "checks", "check_conv_padded")["why"], "it did not finish in 3 s")
        self.assertTrue(self.named(results, "checks", "check_softmax")["ok"])
        self.assertTrue(self.named(results, "times", "add")["ok"])

    def test_a_fault_and_a_crash_end_their_processes_alone(self):
        self.only("check_softmax", "check_conv_padded", "add", "total")
        results, _ = self.run_pack(code=1, TW_STAND_IN_FAULT="tw_check_conv_padded_1", TW_STAND_IN_CRASH="tw_add_1")
        self.assertIn("CUDA_ERROR_ILLEGAL_ADDRESS", self.named(results, "checks", "check_conv_padded")["why"])
        self.assertIn("its process ended by a signal: Aborted (our kernel)", self.named(results, "times", "add")["why"])
        self.assertTrue(self.named(results, "checks", "check_softmax")["ok"])
        self.assertTrue(self.named(results, "times", "total")["ok"])

    def test_a_peer_that_ends_the_process_is_left_out(self):
        self.only("S48", "add")
        results, _ = self.run_pack(cublas=CUBLAS, TW_STAND_IN_CUBLAS="crash")
        self.assertEqual(results["peers"]["cuBLAS"]["why"],
                         "left out from S48 on: its process ended by a signal: Aborted (cuBLAS)")
        self.assertEqual([arm["name"] for arm in self.named(results, "times", "S48")["arms"]], ["ours"])

    def test_a_peer_that_is_wrong_is_not_timed(self):
        self.only("S48")
        results, _ = self.run_pack(cublas=CUBLAS, TW_STAND_IN_CUBLAS="wrong")
        product = self.named(results, "times", "S48")
        self.assertIn("its result is another one", product["failures"]["cuBLAS"])
        self.assertEqual(len(product["arms"]), 1)
        self.assertTrue(product["ok"])

    def test_parts_and_kernels_are_chosen(self):
        results, _ = self.run_pack("--part", "times", "checks", "--kernel", "add", "check_softmax")
        self.assertEqual([one["name"] for one in results["checks"] + results["times"]], ["check_softmax", "add"])
        self.assertEqual(results["roofs"] + results["patterns"], [])

    def test_without_a_driver_there_is_one_sentence(self):
        results, said = self.run_pack(driver="/no/such/file", code=3)
        self.assertEqual(results["why"], "there is no NVIDIA driver (libcuda.so.1)")
        self.assertFalse(results["finished"])
        self.assertIn(results["why"], said)

    def test_what_the_time_does_not_allow_is_left_out(self):
        self.only("check_softmax", "add")
        results, said = self.run_pack("--seconds", "0.001")
        self.assertEqual(results["checks"][0]["left_out"], "the time was up")
        self.assertIn("4 left out", said)
        self.assertTrue(results["finished"])

    def test_the_program_asks_for_nothing_that_is_not_everywhere(self):
        listed = subprocess.run(["objdump", "-p", RUNNER], capture_output=True, text=True, check=True).stdout
        needed = {line.split()[1] for line in listed.splitlines() if line.split()[:1] == ["NEEDED"]}
        if any("san.so" in name for name in needed):
            self.skipTest("a sanitizer's build needs its library")
        self.assertLessEqual(needed, {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"})
        versions = subprocess.run(["objdump", "-T", RUNNER], capture_output=True, text=True, check=True).stdout
        for word in versions.replace("(", " ").replace(")", " ").split():
            if word.startswith("GLIBC_2."):
                self.assertLessEqual(int(word.split(".")[1]), 36, word)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
