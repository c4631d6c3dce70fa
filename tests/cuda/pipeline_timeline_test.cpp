// The pipeline of copies and arithmetic of a block: as a timeline that contradicts nothing, with
// what would lift it, which is then done.
#include <QtTest>

#include <algorithm>
#include <array>

#include "engine/hardware/timeline_text.h"
#include "engine/lowering/pipeline.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"
#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/compiler/rates.h"
#include "targets/cuda/compiler/resources.h"
#include "targets/cuda/hardware/description.h"
#include "targets/shared/gpu/passes.h"
#include "targets/shared/gpu_pipeline/pipeline_timeline.h"
#include "tests/support/gpu_scripts.h"

using namespace tw;

namespace {

/// A block of 64 x 64, each thread 4 x 4 of it; tiles of 8 terms come in copies that go on. Stages
/// of a pipeline, or "roles 3": a ring that others fill; "roles 3, 32": of so many threads.
std::string tiled(std::string const& stages) {
  std::string script =
      "cache_write(C, scope=local)\n"
      "by, bx, i1, j1 = tile(C.i, C.j, outer_factor=64, inner_factor=64)\n"
      "ty, tx, i2, j2 = tile(i1, j1, outer_factor=4, inner_factor=4)\n"
      "k0, k1 = split(C.k, factor=8)\n"
      "reorder(k0, k1, i2, j2)\n"
      "reverse_compute_at(C_write, tx)\n"
      "bind(by, axis=blockIdx.y)\nbind(bx, axis=blockIdx.x)\n"
      "bind(ty, axis=threadIdx.y)\nbind(tx, axis=threadIdx.x)\n"
      "cache_read(C, tensor=A, scope=shared)\ncache_read(C, tensor=B, scope=shared)\n"
      "compute_at(A_cache, k0)\ncompute_at(B_cache, k0)\n";
  for (std::string const& tile : {std::string("A_cache"), std::string("B_cache")}) {
    std::string first = tile == "A_cache" ? "d0" : "d0_2",
                second = tile == "A_cache" ? "d1" : "d1_2";
    script += tile + "p = fuse(" + tile + "." + first + ", " + tile + "." + second + ")\n";
    if (!stages.empty()) {
      script += tile + "q, " + tile + "w = split(" + tile + "p, factor=2)\n";
      script += tile + "r, " + tile + "x = split(" + tile + "q, factor=16)\n";
    } else {
      script += tile + "r, " + tile + "x = split(" + tile + "p, factor=16)\n";
    }
    script += tile + "n, " + tile + "y = split(" + tile + "r, factor=16)\n";
    script += "bind(" + tile + "y, axis=threadIdx.y)\nbind(" + tile + "x, axis=threadIdx.x)\n";
    if (!stages.empty()) script += "tensorize(" + tile + "w, intrinsic=copy_async_8)\n";
  }
  script += "vectorize(j2)\nunroll(i2)\n";
  if (stages.starts_with("roles")) {
    script += "annotate(k0, key=roles, value=" + stages.substr(6, 1) + ")\n";
    if (stages.size() > 9)
      script += "annotate(k0, key=producers, value=" + stages.substr(9) + ")\n";
  } else if (!stages.empty())
    script += "software_pipeline(k0, stages=\"" + stages + "\")\n";
  return script;
}

}  // namespace

class PipelineTimelineTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    for (cuda::KnownGpu const& one : cuda::known_gpus())
      if (one.name == "h100") hardware_ = one.hardware;
    backend_ = cuda::create_cuda_backend(hardware_, {}).value();
    rates_ = cuda::rates_of(hardware_, cuda::roofs_of(hardware_).value()).value();
    unit_ = cuda::multiprocessor_of(hardware_).value();
  }

  void parts_of_a_multiprocessor_do_one_thing_at_a_time() {
    for (std::string const stages : {"", "0,0,1", "0,0,2"}) {
      Timeline timeline = of(stages);
      Status right = check(timeline);
      QVERIFY2(
          timeline.proven && timeline.verdict.starts_with("No race: barriers and waits proved"),
          timeline.verdict.c_str());
      QVERIFY2(right, right ? "" : right.error().message.c_str());
      std::vector<int64_t> until(timeline.lanes.size());
      for (Timeline::Span const& span : timeline.spans) {
        QVERIFY2(span.begin >= until[size_t(span.lane)] - 1,
                 timeline.lanes[size_t(span.lane)].name.c_str());
        until[size_t(span.lane)] = span.end;
      }
      QCOMPARE(to_text(parse_timeline(to_text(timeline)).value()), to_text(timeline));
    }
  }

  /// Nothing is read before it has come, or overwritten while it is read.
  void arithmetic_waits_for_its_tile_and_copies_for_their_room() {
    for (std::string const stages : {"", "0,0,1", "0,0,2"}) {
      Timeline timeline = of(stages);
      QVERIFY(timeline.tokens.size() > 4);
      for (Timeline::Token const& token : timeline.tokens) {
        QVERIFY(token.from >= 0 && token.to >= 0 && token.pushed <= token.popped);
        int from = timeline.instructions[size_t(token.from)].lane,
            to = timeline.instructions[size_t(token.to)].lane;
        QVERIFY(from != to);
      }
      int barriers = 0, waits = 0;
      for (Timeline::Instruction const& one : timeline.instructions) {
        barriers += one.text.starts_with("barrier");
        waits += one.text.starts_with("wait until");
        QVERIFY(one.line > 0);
      }
      QVERIFY(barriers > 2);
      QCOMPARE(waits > 0, !stages.empty());
    }
  }

  void the_turns_that_are_left_out_are_counted() {
    Timeline timeline = of("0,0,1");
    QCOMPARE(timeline.cuts.size(), size_t(1));
    int64_t shown = 0;
    for (Timeline::Instruction const& one : timeline.instructions)
      shown += one.text.starts_with("products of") && one.text.contains("turn");
    int64_t left_out = std::stoll(timeline.cuts[0].words);
    QCOMPARE(shown + left_out, int64_t(127));  // the last one stands behind the loop
    QVERIFY(timeline.cuts[0].cycles > 20 * timeline.cycles / 10);
  }

  /// Both models count the same work; this one knows the order besides.
  void a_block_takes_about_as_long_as_its_launch() {
    for (std::string const stages : {"", "0,0,1", "0,0,2", "roles 3", "roles 3, 32"}) {
      gpu::BlockProgram program = block(stages);
      Timeline timeline = of(stages);
      double cycles = double(timeline.cycles);
      for (Timeline::Cut const& cut : timeline.cuts) cycles += double(cut.cycles);
      double launch = (program.time.seconds - program.time.launch) * rates_.hertz;
      qInfo("stages '%s': %.0f cycles, of the launch %.0f", stages.c_str(), cycles, launch);
      QVERIFY(cycles > 0.7 * launch && cycles < 1.6 * launch);
    }
  }

  void copies_that_go_on_hide_what_others_wait_for() {
    gpu::PipelineAdvice plain = advice(""), two = advice("0,0,1");
    QCOMPARE(plain.stages, 1);
    QCOMPARE(two.stages, 2);
    qInfo("%s", plain.sentence.c_str());
    qInfo("%s", two.sentence.c_str());
    QVERIFY(two.turn < plain.turn && two.idle < plain.idle);
  }

  /// The sentence is a promise: with so many stages a turn takes so long.
  void what_the_sentence_promises_is_what_the_step_gives() {
    gpu::PipelineAdvice now = advice("0,0,1");
    auto more = gpu::with_more_stages(block("0,0,1"), now.loop, 1);
    QVERIFY(more);
    gpu::BlockRun promised = gpu::run_blocks(gpu::unrolled(*more), more->resident, more->rates);
    gpu::PipelineAdvice done = advice("0,0,2");
    QCOMPARE(done.stages, 3);
    double turn = promised.turn_cycles(size_t(now.loop));
    QVERIFY2(std::abs(done.turn / turn - 1) < 0.05,
             qPrintable(QString("%1 and %2").arg(turn).arg(done.turn)));
    if (now.better_stages == 3) QVERIFY(std::abs(done.turn / now.better_turn - 1) < 0.05);
  }

  /// Those that fill and those that compute have a lane each; what one waits for the other has done
  /// before.
  void roles_are_two_lanes_with_arrivals_between_them() {
    for (std::string const roles : {"roles 2", "roles 3", "roles 3, 32"}) {
      Timeline timeline = of(roles);
      Status right = check(timeline);
      QVERIFY2(right, right ? "" : right.error().message.c_str());
      QVERIFY2(timeline.proven, timeline.verdict.c_str());
      QCOMPARE(to_text(parse_timeline(to_text(timeline)).value()), to_text(timeline));
      QCOMPARE(timeline.lanes[3].name, std::string("Producers"));
      QCOMPARE(timeline.lanes[4].name, std::string("Consumers"));
      QCOMPARE(timeline.lanes.size(), size_t(5 + roles[6] - '0'));
      std::vector<int64_t> until(timeline.lanes.size());
      for (Timeline::Span const& span : timeline.spans) {
        QVERIFY2(span.begin >= until[size_t(span.lane)] - 1,
                 timeline.lanes[size_t(span.lane)].name.c_str());
        until[size_t(span.lane)] = span.end;
      }
      std::array<int, 2> tokens{};
      for (Timeline::Token const& token : timeline.tokens) {
        ++tokens[size_t(token.queue)];
        QVERIFY(token.pushed <= token.popped);
        auto lane = [&](int32_t at) { return timeline.instructions[size_t(at)].lane; };
        QCOMPARE(lane(token.from), token.queue == 0 ? 3 : 4);
        QCOMPARE(lane(token.to), token.queue == 0 ? 4 : 3);
      }
      QVERIFY2(tokens[0] > 3 && tokens[1] > 1,
               qPrintable(QString("%1 and %2").arg(tokens[0]).arg(tokens[1])));
      for (Timeline::Instruction const& one : timeline.instructions) QVERIFY(one.line > 0);
    }
  }

  void a_ring_of_roles_keeps_what_the_sentence_promises() {
    gpu::PipelineAdvice now = advice("roles 2"), done = advice("roles 3");
    QCOMPARE(now.stages, 2);
    QCOMPARE(done.stages, 3);
    qInfo("%s", now.sentence.c_str());
    auto more = gpu::with_more_stages(block("roles 2"), now.loop, 1);
    QVERIFY(more);
    gpu::BlockRun promised = gpu::run_blocks(gpu::unrolled(*more), more->resident, more->rates);
    double turn = promised.turn_cycles(size_t(now.loop));
    QVERIFY2(std::abs(done.turn / turn - 1) < 0.05,
             qPrintable(QString("%1 and %2").arg(done.turn).arg(turn)));
  }

  void what_stages_nothing_says_so() {
    auto none = timeline(testing::sum_text(4096), "default");
    QVERIFY(!none);
    QCOMPARE(none.error().code, std::string("no_pipeline"));
    QVERIFY2(none.error().message.contains("shared memory"), none.error().message.c_str());
  }

private:
  ir::KernelIr lowered(std::string const& kernel, std::string const& script) const {
    ir::Program program = te::to_program(te::parse_kernel(kernel).value()).value();
    ir::Program scheduled;
    if (script == "default") {
      scheduled = backend_->default_schedule(program).value().program();
    } else {
      auto steps = parse_script("tilewright schedule 1\n" + script).value();
      auto done = replay(Schedule(program, backend_->shared_target()), steps);
      if (!done) qFatal("%s", done.error().message.c_str());
      scheduled = done->program();
    }
    auto stages = lower(scheduled, backend_->target(), backend_->passes(), {});
    if (!stages) qFatal("%s", stages.error().message.c_str());
    return stages->back().kernel;
  }
  Result<Timeline> timeline(std::string const& kernel, std::string const& script) const {
    return gpu::kernel_timeline(backend_->target(), lowered(kernel, script), unit_, rates_);
  }
  Timeline of(std::string const& stages) const {
    return timeline(testing::product_text(1024), tiled(stages)).value();
  }
  gpu::BlockProgram block(std::string const& stages) const {
    ir::KernelIr kernel = lowered(testing::product_text(1024), tiled(stages));
    return gpu::block_program(kernel.device.at(0), ir::print(kernel), unit_, rates_,
                              3.0 * 4 * 1024 * 1024)
        .value();
  }
  gpu::PipelineAdvice advice(std::string const& stages) const {
    gpu::BlockProgram program = block(stages);
    return gpu::pipeline_advice(
        program, gpu::run_blocks(gpu::unrolled(program), program.resident, program.rates), unit_);
  }

  Hardware hardware_;
  std::shared_ptr<Backend const> backend_;
  gpu::Rates rates_;
  gpu::Multiprocessor unit_;
};

QTEST_GUILESS_MAIN(PipelineTimelineTest)
#include "pipeline_timeline_test.moc"
