// Windows over padding with tiles, strides and orders by chance: every stage of lowering computes
// what the plain program does.
#include <fmt/format.h>

#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/trace.h"
#include "engine/support/base/random.h"
#include "engine/te/te.h"
#include "tests/support/all_passes.h"
#include "tests/support/counted_inputs.h"

using namespace tw;

namespace {

struct Window {
  int64_t height, width, rows, columns, stride, pad, channels;
  int64_t out(int64_t in, int64_t window) const { return (in + 2 * pad - window) / stride + 1; }
};

Window window_by_chance(Rng& rng) {
  Window w{};
  w.rows = 1 + rng.below(4);
  w.columns = 1 + rng.below(4);
  w.stride = 1 + rng.below(2);
  w.pad = rng.below(3);
  w.channels = 1 + rng.below(3);
  w.height = 4 + rng.below(6);
  w.width = 6 + rng.below(20);
  return w;
}

/// A dense one, or one that reads its own channel and has no sum over channels.
ir::Program program_of(Window const& w, bool dense) {
  std::string sum = dense ? fmt::format("c in {}, ", w.channels) : "", read = dense ? "c" : "k";
  std::string text = fmt::format(
      "tilewright te 1\nkernel f(X: f32[{c}, {h}, {w}], W: f32[{c}, {c}, {r}, {s}, 4]) -> C\n"
      "  P[c in {c}, y in {hp}, x in {wp}] = select({p} <= y && y < {he} && {p} <= x && x < {we}, "
      "X[c, y-{p}, x-{p}], 0.0)\n"
      "  C[k in {c}, y in {oy}, x in {ox}, b in 4] = sum[{sum}r in {r}, s in {s}] "
      "P[{read}, y*{t}+r, x*{t}+s] * W[k, {read}, r, s, b]\n",
      fmt::arg("c", w.channels), fmt::arg("h", w.height), fmt::arg("w", w.width),
      fmt::arg("r", w.rows), fmt::arg("s", w.columns), fmt::arg("hp", w.height + 2 * w.pad),
      fmt::arg("wp", w.width + 2 * w.pad), fmt::arg("he", w.height + w.pad),
      fmt::arg("we", w.width + w.pad), fmt::arg("p", w.pad), fmt::arg("t", w.stride),
      fmt::arg("oy", w.out(w.height, w.rows)), fmt::arg("ox", w.out(w.width, w.columns)),
      fmt::arg("sum", sum), fmt::arg("read", read));
  auto kernel = te::parse_kernel(text);
  if (!kernel) qFatal("%s\n%s", to_sentence(kernel.error()).c_str(), text.c_str());
  return te::to_program(*kernel).value();
}

/// Steps that are refused are left out.
Schedule scheduled(ir::Program const& program, bool dense, Rng& rng) {
  std::vector<std::string> lines{"compute_inline(P)", "skip_padding(C)"};
  std::vector<std::string> sums{"r", "s"};
  if (dense) sums.push_back("c");
  for (size_t i = sums.size(); i-- > 1;)
    std::swap(sums[i], sums[size_t(rng.below(int64_t(i) + 1))]);
  std::string order = "C.k, ";
  if (rng.below(2) == 0) {
    lines.push_back(fmt::format("y.0, y.1 = split(C.y, factor={})", 2 + rng.below(2)));
    order += "C.y.0, ";
  } else {
    order += "C.y, ";
  }
  bool rows = lines.size() == 3;
  lines.push_back(fmt::format("x.0, x.1 = split(C.x, factor={})", 2 + rng.below(5)));
  bool inside = rng.below(4) == 0;  // tiles among the loops of the sum
  if (!inside) order += "C.x.0, ";
  for (size_t i = 0; i < sums.size(); ++i) {
    order += "C." + sums[i] + ", ";
    if (inside && i == 0) order += "C.x.0, ";
  }
  lines.push_back(fmt::format("reorder({}{}C.x.1, C.b)", order, rows ? "C.y.1, " : ""));
  lines.push_back("vectorize(C.b)");
  lines.push_back("unroll(C.x.1)");
  if (rows) lines.push_back("unroll(C.y.1)");
  for (size_t i = sums.size(); i-- > 0 && rng.below(2) == 0;)
    lines.push_back(fmt::format("unroll(C.{})", sums[i]));
  Schedule schedule(program);
  for (std::string const& line : lines) {
    auto script = parse_script("tilewright schedule 1\n" + line + "\n");
    if (!script) qFatal("%s: %s", line.c_str(), to_sentence(script.error()).c_str());
    if (auto next = replay(schedule, *script)) schedule = std::move(*next);
  }
  return schedule;
}

}  // namespace

class WindowsTest : public QObject {
  Q_OBJECT
private slots:
  void every_stage_computes_the_same() {
    uint64_t seed = qEnvironmentVariableIsSet("TW_SEED") ? qgetenv("TW_SEED").toULongLong() : 1;
    int rows = 0;
    for (int i = 0; i < 60; ++i, ++seed) {
      Rng rng(seed);
      Window window = window_by_chance(rng);
      bool dense = rng.below(2) == 0;
      ir::Program program = program_of(window, dense);
      Schedule schedule = scheduled(program, dense, rng);
      std::vector<NDArray> inputs = testing::counted_inputs(program);
      NDArray expected = ir::interpret(program, inputs).value()[0];
      std::string about = fmt::format("seed {}\n{}", seed, schedule.script());
      auto stages = lower(schedule.program(), *any_target(), testing::all_passes(),
                          {.verify = VerifyPasses::kEach});
      QVERIFY2(stages, (about + (stages ? "" : to_sentence(stages.error()))).c_str());
      for (size_t s = 0; s < stages->size(); ++s) {
        ir::KernelIr const& kernel = (*stages)[s].kernel;
        auto out = ir::interpret(kernel, inputs.size(), inputs);
        QVERIFY2(out, (about + (out ? "" : to_sentence(out.error()))).c_str());
        QVERIFY2(compare((*out)[0], expected, 0).equal,
                 (about + (*stages)[s].name + "\n" + ir::print(kernel).text).c_str());
        if (s == 0) continue;
        bool changed = !ir::equal(kernel, (*stages)[s - 1].kernel);
        rows += (*stages)[s].name == "promote_accumulators" && changed;
      }
    }
    qInfo("%d of 60 kernels with sums in registers", rows);
    QVERIFY(rows >= 30);
  }
};

QTEST_GUILESS_MAIN(WindowsTest)
#include "windows_test.moc"
