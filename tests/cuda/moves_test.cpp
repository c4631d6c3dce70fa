// Next moves for a GPU: what is offered is for blocks and threads, legal, and computes the same.
#include <QtTest>

#include <algorithm>
#include <map>
#include <set>

#include "engine/compile/modelled_time.h"
#include "engine/ir/interpreter.h"
#include "engine/lowering/pipeline.h"
#include "engine/moves/idea.h"
#include "engine/moves/next_moves.h"
#include "engine/schedule/trace.h"
#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/compiler/rates.h"
#include "targets/cuda/hardware/description.h"
#include "tests/support/gpu_scripts.h"
#include "tests/support/random_schedules.h"

using namespace tw;
using moves::MovesWanted;
using moves::NextMove;
using moves::NextMoves;

namespace {

class Gpu {
public:
  Schedule plain(std::string const& text) const {
    return Schedule(te::to_program(te::parse_kernel(text).value()).value(),
                    backend_->shared_target());
  }
  NextMoves moves_of(Schedule const& schedule, MovesWanted wanted = {}) const {
    auto model = [&](ir::Program const& program) {
      return modelled_time(program, *backend_, roofs_).value_or(analysis::TimeModel{});
    };
    wanted.budget = ProofBudget::kWork;
    return moves::next_moves(schedule, hardware_, model, wanted).value();
  }
  Backend const& backend() const { return *backend_; }

private:
  Hardware hardware_ = cuda::known_gpus().front().hardware;
  Roofs roofs_ = cuda::roofs_of(hardware_).value();
  std::shared_ptr<Backend const> backend_ = cuda::create_cuda_backend(hardware_, {}).value();
};

Schedule taken(Schedule schedule, NextMove const& move) {
  for (Step const& step : move.steps) schedule = schedule.apply(step).value();
  return schedule;
}

NextMove const* first_of(NextMoves const& found, std::string const& idea) {
  auto move = std::ranges::find(found.moves, idea, &NextMove::idea);
  return move == found.moves.end() ? nullptr : &*move;
}

std::set<std::string> const kOfBlocks = {"threads", "thread_tiles", "thread_sums", "shared_tiles",
                                         "bank_padding"};

std::string const kKernels[] = {
    "tilewright te 1\nkernel product(A: f32[36, 16], B: f32[16, 34]) -> C\n"
    "  C[i in 36, j in 34] = sum[k in 16] A[i, k] * B[k, j]\n",
    "tilewright te 1\nkernel odd(A: f32[2, 33, 13], B: f32[2, 13, 35]) -> C\n"
    "  C[b in 2, i in 33, j in 35] = sum[k in 13] A[b, i, k] * B[b, k, j]\n",
    "tilewright te 1\nkernel rows(A: f32[20, 70]) -> D\n"
    "  S[i in 20] = sum[k in 70] A[i, k]\n"
    "  D[i in 20, k in 70] = A[i, k] / S[i]\n",
    "tilewright te 1\nkernel conv(X: f32[2, 18, 20], W: f32[3, 2, 3, 3]) -> Y\n"
    "  Y[o in 3, y in 16, x in 18] = "
    "sum[c in 2, r in 3, s in 3] X[c, y+r, x+s] * W[o, c, r, s]\n",
    "tilewright te 1\nkernel most(A: f32[3, 5, 100]) -> M\n"
    "  M[i in 3, j in 5] = max[k in 100] A[i, j, k]\n",
    testing::transpose_text(40)};

}  // namespace

class MovesTest : public QObject {
  Q_OBJECT
private slots:
  void what_is_for_vectors_is_not_offered() {
    NextMoves found =
        gpu_.moves_of(gpu_.plain(testing::product_text(512)), {.most = 1000, .variants = 1000});
    std::set<std::string> ideas;
    for (NextMove const& move : found.moves) ideas.insert(move.idea);
    for (moves::Idea const* idea : moves::idea_table())
      if (idea->machines == moves::Machines::kVectors)
        QVERIFY2(!ideas.contains(idea->name), idea->name.c_str());
    for (char const* name : {"threads", "thread_tiles"}) QVERIFY2(ideas.contains(name), name);
  }

  void a_product_is_bound_tiled_and_staged_step_by_step() {
    Schedule schedule = gpu_.plain(testing::product_text(1024));
    NextMoves found = gpu_.moves_of(schedule);
    QVERIFY(!found.moves.empty());
    QCOMPARE(found.moves.front().idea, std::string("thread_tiles"));
    QVERIFY(found.moves.front().gain > 1000);
    std::string sentence = moves::binding_sentence(found);
    QVERIFY2(sentence.starts_with("Bottleneck: latency"), sentence.c_str());
    schedule = taken(std::move(schedule), found.moves.front());

    found = gpu_.moves_of(schedule, {.most = 100, .variants = 100});
    NextMove const* shared = first_of(found, "shared_tiles");
    QVERIFY(shared);
    QVERIFY2(shared->gain > 0.9, shared->effect.c_str());
    schedule = taken(std::move(schedule), *shared);
    QVERIFY(lower(schedule.program(), gpu_.backend().target(), gpu_.backend().passes()));

    found = gpu_.moves_of(schedule, {.most = 100, .variants = 100});
    QVERIFY(first_of(found, "bank_padding"));
  }

  void sums_of_long_rows_are_spread_over_threads() {
    std::string text =
        "tilewright te 1\nkernel rows(A: f32[4096, 4096]) -> S\n"
        "  S[i in 4096] = sum[k in 4096] A[i, k]\n";
    NextMoves found = gpu_.moves_of(gpu_.plain(text));
    QVERIFY(!found.moves.empty());
    QCOMPARE(found.moves.front().idea, std::string("thread_sums"));
    QCOMPARE(found.moves.front().model.bound, std::string("DRAM"));
    NextMove const* each = first_of(found, "threads");
    QVERIFY(each && each->model.seconds > 3 * found.moves.front().model.seconds);
  }

  void conflicts_of_banks_are_lifted() {
    auto steps =
        parse_script("tilewright schedule 1\n" + testing::tiled_transpose_script(32, false));
    auto done = replay(gpu_.plain(testing::transpose_text(4096)), *steps);
    QVERIFY(done);
    NextMoves found = gpu_.moves_of(*done);
    QVERIFY(!found.moves.empty());
    QCOMPARE(found.moves.front().idea, std::string("bank_padding"));
    QVERIFY(found.moves.front().gain > 1.2);
  }

  void moves_are_legal_and_keep_the_result() {
    Rng rng(20261129);
    std::map<std::string, int> taken_of;
    int lowered = 0;
    for (int walk = 0; walk < 24; ++walk) {
      std::string const& text = kKernels[size_t(walk) % std::size(kKernels)];
      te::Kernel kernel = te::parse_kernel(text).value();
      Schedule schedule = gpu_.plain(text);
      for (int step = 0; step < 4; ++step) {
        NextMove const* move = drawn(schedule, rng);
        if (!move) break;
        ++taken_of[move->idea];
        schedule = taken(std::move(schedule), *move);
      }
      auto inputs = testing::random_inputs(kernel, rng);
      auto outputs = ir::interpret(schedule.program(), inputs, {.shuffle_seed = rng.next() | 1});
      std::string script = text + schedule.script();
      QVERIFY2(outputs, outputs ? "" : (script + to_sentence(outputs.error())).c_str());
      QVERIFY2(te::judge(*outputs, testing::expected_of(kernel, inputs)).equal, script.c_str());
      auto stages = lower(schedule.program(), gpu_.backend().target(), gpu_.backend().passes(),
                          {.off = {}, .verify = VerifyPasses::kEach, .observe = {}});
      lowered += stages.has_value();
      QVERIFY2(stages || stages.error().code == "unbound_work",
               stages ? "" : (script + to_sentence(stages.error())).c_str());
    }
    for (auto const& [idea, times] : taken_of) qInfo("%-14s %5d", idea.c_str(), times);
    qInfo("%d of 24 lowered whole", lowered);
    for (std::string const& idea : kOfBlocks) QVERIFY2(taken_of[idea] > 0, idea.c_str());
    QVERIFY(lowered > 8);
  }

private:
  /// Rare kinds as often as those of which there are many, those for blocks more often than others;
  /// null: nothing is offered.
  NextMove const* drawn(Schedule const& schedule, Rng& rng) {
    found_ = gpu_.moves_of(schedule, {.most = 24, .variants = 3});
    std::map<std::string, std::vector<NextMove const*>> by_idea;
    bool any = rng.below(2) == 0;
    for (int turn = 0; turn < 2 && by_idea.empty(); ++turn, any = true)
      for (NextMove const& move : found_.moves)
        if (any || kOfBlocks.contains(move.idea)) by_idea[move.idea].push_back(&move);
    if (by_idea.empty()) return nullptr;
    auto idea = std::next(by_idea.begin(), std::ptrdiff_t(rng.below(int64_t(by_idea.size()))));
    return idea->second[size_t(rng.below(int64_t(idea->second.size())))];
  }

  Gpu gpu_;
  NextMoves found_;
};

QTEST_GUILESS_MAIN(MovesTest)
#include "moves_test.moc"
