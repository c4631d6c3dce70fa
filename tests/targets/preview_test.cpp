// What a step would do to the memories of a machine is told while it is only pointed at.
#include <QtTest>
#include <fstream>

#include "engine/backend/target_table.h"
#include "engine/schedule/macros/macro_set.h"
#include "engine/session/session.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::session;

namespace {

constexpr char kKernel[] =
    "tilewright te 1\n"
    "kernel product(A: f32[64, 256], B: f32[256, 64]) -> C\n"
    "  C[i in 64, j in 64] = sum[k in 256] A[i, k] * B[k, j]\n";

}  // namespace

class PreviewTest : public QObject {
  Q_OBJECT
private slots:
  void cleanup() { session_.reset(); }

  void what_a_memory_would_hold_is_told_with_its_capacity() {
    open("threads");
    take("cache_read(C, tensor=A, scope=shared)");
    StepPreview const there = session_->preview("compute_at(A_cache, C.i)");
    QVERIFY(!there.refusal);
    QCOMPARE(there.memories.size(), size_t(1));
    QCOMPARE(there.memories[0].memory, std::string("shared"));
    QCOMPARE(there.memories[0].used, int64_t(1024));
    QCOMPARE(there.memories[0].bytes, int64_t(48 << 10));
    QCOMPARE(there.memories[0].words, std::string("shared 1.0 of 48 KB"));
    QCOMPARE(there.memories[0].parts, std::string("A_cache 1.0 KB"));
    QVERIFY(!there.memories[0].overflows());
    QCOMPARE(session_->preview("compute_at(A_cache, C.k)").memories[0].words,
             std::string("shared 64 B of 48 KB"));  // one number, at a multiple of 64
    QCOMPARE(session_->snapshot().history->nodes.size(), size_t(2));  // nothing was taken
  }

  void a_tensor_on_its_way_into_a_loop_is_told_to_be_too_large_and_the_step_is_legal() {
    open("threads");
    StepPreview const outside = session_->preview("cache_read(C, tensor=A, scope=shared)");
    QVERIFY(!outside.refusal);
    QVERIFY(outside.memories.at(0).overflows());
    QCOMPARE(outside.memories[0].words, std::string("shared 64 of 48 KB"));
    StepPreview const inside =
        session_->preview("cache_read(C, tensor=A, scope=shared); compute_at(A_cache, C.i)");
    QVERIFY(!inside.refusal);
    QCOMPARE(inside.memories.at(0).words, std::string("shared 1.0 of 48 KB"));
  }

  void a_step_that_overflows_a_memory_shows_the_sum_and_its_parts() {
    open("threads");
    take("C.i.0, C.i.1 = split(C.i, factor=32)");
    take("cache_read(C, tensor=A, scope=shared)");
    take("compute_at(A_cache, C.i.0)");
    take("cache_read(C, tensor=B, scope=shared)");
    StepPreview const both = session_->preview("compute_at(B_cache, C.i.0)");
    QVERIFY(both.refusal);
    QCOMPARE(both.refusal->code, std::string("scope_overflow"));
    QCOMPARE(both.memories.size(), size_t(1));
    QVERIFY(both.memories[0].overflows());
    QCOMPARE(both.memories[0].words, std::string("shared 96 of 48 KB"));
    QCOMPARE(both.memories[0].parts, std::string("B_cache 64 KB, A_cache 32 KB"));
    QVERIFY(both.refusal->message.find(both.memories[0].parts) != std::string::npos);
    QVERIFY(session_->why_not("compute_at(B_cache, C.i.0)"));
  }

  void what_is_refused_for_another_reason_takes_nothing() {
    open("threads");
    StepPreview const unknown = session_->preview("compute_at(C, C.i)");
    QVERIFY(unknown.refusal && unknown.memories.empty());
    StepPreview const unreadable = session_->preview("split(");
    QVERIFY(unreadable.refusal && unreadable.memories.empty());
  }

  void a_macro_is_told_with_all_of_its_steps() {
    open("threads");
    auto of = [&](int rows, int depth) {
      return session_->preview(
          "gemm_blocks_threads(C, C.i, C.j, C.k, a=A, b=B, rows=" + std::to_string(rows) +
          ", columns=16, row_sums=4, column_sums=4, " + "depth=" + std::to_string(depth) + ")");
    };
    QVERIFY(!of(16, 8).refusal);
    QCOMPARE(of(16, 8).memories.at(0).words, std::string("shared 1.0 of 48 KB"));
    StepPreview const large = of(64, 256);
    QVERIFY(large.refusal && large.memories.at(0).overflows());
  }

  void the_pad_of_a_scratchpad_machine_is_told_too() {
    open("scratchpad");
    take("cache_read(C, tensor=A, scope=pad)");
    take("C.i.0, C.i.1 = split(C.i, factor=8)");
    StepPreview const there = session_->preview("compute_at(A_cache, C.i.0)");
    QVERIFY(!there.refusal);
    QCOMPARE(there.memories.at(0).words, std::string("pad 8.0 of 16 KB"));
    QVERIFY(session_->preview("compute_root(A_cache)").refusal);
  }

  /// What others do on the machine makes it longer, so the shortest of some counts.
  void a_preview_over_blocks_and_threads_is_there_in_a_frame() {
    open("threads");
    take(
        "gemm_blocks_threads(C, C.i, C.j, C.k, a=A, b=B, rows=16, columns=16, row_sums=4, "
        "column_sums=4, depth=8)");
    int bound = session_->snapshot().history->current;
    double least = 1e9, drag = 1e9;
    for (int i = 0; i < 15; ++i) {
      QVERIFY(session_->execute(JumpTo{0}));
      QElapsedTimer timer;
      timer.start();
      QVERIFY(session_->execute(JumpTo{bound}));
      least = std::min(least, double(timer.nsecsElapsed()) / 1e6);
      QCOMPARE(session_->snapshot().nest->barriers.size(), size_t(2));
      timer.restart();
      (void)session_->preview("split(C.k.1, factor=4)");
      drag = std::min(drag, double(timer.nsecsElapsed()) / 1e6);
    }
    qInfo("the nest is there after %.2f ms, a preview takes %.2f ms", least, drag);
    QVERIFY(drag <= 16);
  }

private:
  void open(std::string const& target) {
    session_ = Session::create({.backend = create_backend(target_hardware(target).value()).value(),
                                .device_program = testing::built("/tests/test-device"),
                                .cache_folder = folder_.path().toStdString(),
                                .threads = 1,
                                .measure = false,
                                .macros = std::make_shared<MacroSet const>(load_macros({}))})
                   .value();
    std::string file = folder_.filePath("product.te").toStdString();
    std::ofstream(file) << kKernel;
    QVERIFY(session_->execute(OpenModel{file}));
    QVERIFY(session_->wait_idle(60));
    QVERIFY(session_->execute(JumpTo{0}));
  }
  void take(char const* step) {
    QVERIFY(session_->execute(ApplyStep{step}));
    auto refusal = session_->snapshot().refusal;
    QVERIFY2(!refusal, refusal ? refusal->message.c_str() : "");
  }

  QTemporaryDir folder_;
  std::unique_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(PreviewTest)
#include "preview_test.moc"
