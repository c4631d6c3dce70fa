// Random legal schedules of random kernels, with loops bound at random, as OpenCL C on a device:
// what is taken computes what the plain program does. TW_TEST_TRACES and TW_TEST_SEED: how many,
// and which.
#include <QtTest>

#include "engine/schedule/names.h"
#include "engine/schedule/trace.h"
#include "targets/opencl/compiler/opencl_backend.h"
#include "targets/opencl/hardware/description.h"
#include "tests/support/opencl_runs.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

int traces() {
  return qEnvironmentVariableIsSet("TW_TEST_TRACES")
             ? qEnvironmentVariableIntValue("TW_TEST_TRACES")
             : 250;
}
uint64_t seed() {
  return qEnvironmentVariableIsSet("TW_TEST_SEED")
             ? qEnvironmentVariable("TW_TEST_SEED").toULongLong()
             : 20261129;
}

/// Loops that stand outermost and have no bound loop below them.
std::vector<ir::LoopSite> unbound_nests(ir::Program const& program) {
  std::vector<ir::LoopSite> nests;
  for (ir::LoopSite const& site : ir::loops_of(program.body)) {
    if (!site.around.empty()) continue;
    bool bound = site.loop->loop_kind == ir::LoopKind::kBind;
    for (ir::LoopSite const& below : ir::loops_of(site.loop->body))
      bound = bound || below.loop->loop_kind == ir::LoopKind::kBind;
    if (!bound) nests.push_back(site);
  }
  return nests;
}

/// Takes a line of a script where it is legal.
bool take(Schedule& schedule, std::string const& line) {
  auto next = schedule.apply(parse_step(line).value());
  if (next) schedule = std::move(*next);
  return next.has_value();
}

/// A block's outermost loop is one of blocks and one of threads; some of what it reads is brought
/// to memory that the threads share.
Schedule with_shared_tiles(Schedule schedule, Rng& rng) {
  for (ir::BlockSite const& site : ir::blocks_of(schedule.program().body)) {
    if (site.loops.empty() || rng.below(5) == 0) continue;
    std::string const& block = site.block->name;
    std::string loop = block + "." + site.loops[0]->name();
    if (!take(schedule, fmt::format("b, t = split({}, factor={})", loop, rng.between(2, 5))))
      continue;
    take(schedule, fmt::format("bind({}.b, axis=blockIdx.{})", block, rng.below(2) ? "x" : "y"));
    take(schedule, fmt::format("bind({}.t, axis=threadIdx.{})", block, rng.below(2) ? "x" : "y"));
    std::set<std::string> tensors;
    ir::walk_reads(site.block->body,
                   [&](ir::Touched const& at) { tensors.insert(at.buffer->name); });
    for (std::string const& tensor : tensors)
      if (rng.below(3) > 0 &&
          take(schedule, fmt::format("cache_read({}, tensor={}, scope=shared)", block, tensor)))
        take(schedule, fmt::format("compute_at({}_cache, {}.b)", tensor, block));
  }
  return schedule;
}

/// Each nest that is not spread over threads yet is, by its outermost loops.
Schedule bound_at_random(Schedule schedule, Rng& rng) {
  for (ir::LoopSite const& site : unbound_nests(schedule.program())) {
    std::string loop = reference_of(schedule.program(), site.loop->id);
    std::vector<char const*> axes{"threadIdx.x", "blockIdx.x", "threadIdx.y", "blockIdx.z"};
    std::ranges::rotate(axes, axes.begin() + rng.below(4));
    for (char const* axis : axes)
      if (take(schedule, fmt::format("bind({}, axis={})", loop, axis))) break;
  }
  return schedule;
}

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

}  // namespace

class RandomTest : public QObject {
  Q_OBJECT
private slots:
  void bound_schedules_compute_the_same() {
    auto device = opencl::find_device("");
    if (!device) QSKIP(qPrintable(QString::fromStdString(device.error().message)));
    auto backend = opencl::create_opencl_backend(device->hardware).value();
    auto processor = opencl::create_opencl_processor(*device, 1 << 26).value();
    ir::Sharing sharing = placed_sharing(backend->target());
    qInfo("seed %llu", static_cast<unsigned long long>(seed()));
    Rng rng(seed());
    std::map<std::string, int> refused;
    int taken = 0, threads = 0, barriers = 0;
    for (int trace = 0; trace < traces(); ++trace) {
      std::string text = testing::test_kernel(trace, testing::kernel_set(), rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Schedule schedule(te::to_program(kernel).value(), backend->shared_target());
      if (trace % 3 > 0) schedule = with_shared_tiles(std::move(schedule), rng);
      for (int64_t tries = rng.between(0, 16); tries > 0; --tries)
        if (auto next =
                schedule.apply(testing::propose_step(schedule.program(), rng, backend->target())))
          schedule = std::move(*next);
      schedule = bound_at_random(std::move(schedule), rng);
      std::vector<NDArray> inputs = testing::random_inputs(kernel, rng);
      auto stages = lower(schedule.program(), backend->target(), backend->passes());
      auto code =
          stages ? backend->generate(stages->back().kernel, CodeTier::kFull, CodeTexts::kAll, {})
                 : std::unexpected(stages.error());
      if (!code) {
        ++refused[code.error().code];
        QVERIFY2(code.error().code != "pass_failed_check",
                 (sentence(code) + "\n" + text + schedule.script()).c_str());
        continue;
      }
      ++taken;
      std::string const& source = code->listings[0].text;
      threads += source.contains("get_local_id");
      barriers += source.contains("barrier(");
      std::string said = text + schedule.script() + source;
      te::Expected expected = testing::expected_of(kernel, inputs);
      auto interpreted =
          ir::interpret(stages->back().kernel, inputs.size(), inputs,
                        {.shuffle_seed = seed(), .sizes = {}, .sharing = &sharing, .stop = {}});
      QVERIFY2(interpreted, (sentence(interpreted) + "\n" + said).c_str());
      QVERIFY2(te::judge(*interpreted, expected).equal, said.c_str());
      auto outputs = testing::run_on(*processor, *backend, schedule.origin(), *code, inputs);
      QVERIFY2(outputs, (sentence(outputs) + "\n" + said).c_str());
      QVERIFY2(te::judge(*outputs, expected).equal, said.c_str());
    }
    for (auto const& [code, count] : refused) qInfo("%d refused: %s", count, code.c_str());
    qInfo("%d of %d taken, %d with threads, %d with barriers", taken, traces(), threads, barriers);
    QVERIFY(taken * 3 >= traces());
    QVERIFY(threads * 4 >= taken && barriers * 50 >= taken);
  }
};

QTEST_GUILESS_MAIN(RandomTest)
#include "random_test.moc"
