// A kernel for a GPU that nobody has: nothing runs, and what its launches ask of the hardware is
// known within a third of a second after each step.
#include <QtTest>
#include <fstream>

#include "engine/session/kernel_rows.h"
#include "engine/session/launches.h"
#include "tests/support/described_devices.h"

using namespace tw;
using namespace tw::session;

namespace {

constexpr char kProduct[] =
    "tilewright te 1\n"
    "kernel product(A: f32[256, 256], B: f32[256, 256]) -> C\n"
    "  C[i in 256, j in 256] = sum[k in 256] A[i, k] * B[k, j]\n";
/// Not the default: its tile of A is read by columns, two words of a bank at a time.
constexpr char kTiled[] =
    "cache_write(C, scope=local)\n"
    "by, bx, i1, j1 = tile(C.i, C.j, outer_factor=64, inner_factor=64)\n"
    "ty, tx, i2, j2 = tile(i1, j1, outer_factor=4, inner_factor=4)\n"
    "k0, k1 = split(C.k, factor=8)\n"
    "reorder(k0, k1, i2, j2)\n"
    "reverse_compute_at(C_write, tx)\n"
    "bind(by, axis=blockIdx.y)\n"
    "bind(bx, axis=blockIdx.x)\n"
    "bind(ty, axis=threadIdx.y)\n"
    "bind(tx, axis=threadIdx.x)\n"
    "cache_read(C, tensor=A, scope=shared)\n"
    "compute_at(A_cache, k0)\n";

}  // namespace

class LaunchesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (!target_hardware("cuda")) QSKIP("this build has no target cuda");
    session_ = Session::create(testing::with_described_devices(true)).value();
    QVERIFY(session_->execute(UseDevice{"cuda:h100"}));
    QVERIFY(session_->wait_idle(30));
    std::string file = folder_.filePath("product.te").toStdString();
    std::ofstream(file) << kProduct;
    QVERIFY(session_->execute(OpenModel{file}));
    QVERIFY(session_->wait_idle(30));
  }

  void the_machine_says_that_there_is_no_device() {
    Snapshot now = session_->snapshot();
    QVERIFY(!now.error);
    QVERIFY(now.machine && !now.machine->attached && now.has_launches);
    QCOMPARE(now.machine->name, std::string("H100 SXM · no device"));
    QVERIFY(now.machine->roofs_known);
  }

  /// A nest that no thread runs has no code: the history says why, and nothing fails.
  void what_has_no_code_says_why() {
    Snapshot now = session_->snapshot();
    HistoryNodeView const& plain = now.history->nodes[0];
    QVERIFY2(plain.failure.contains("runs on no thread"), plain.failure.c_str());
    auto view = seen(0, false);
    QVERIFY2(view->failure.contains("bind"), view->failure.c_str());
    QVERIFY(!now.error);
  }

  void nothing_runs() {
    for (Command const& command : std::initializer_list<Command>{
             MeasureModel{}, MeasureAgain{}, Tune{.trials = 4}, AblateStep{1}}) {
      Status done = session_->execute(command);
      QVERIFY(!done);
      QVERIFY2(done.error().code == "not_attached", to_sentence(done.error()).c_str());
    }
    QVERIFY(!session_->snapshot().error);
    DescribedDevice device(target_hardware("cuda:h100").value());
    QVERIFY(device.describe({}));
    Status written = device.write({}, 0, {}, {});
    QVERIFY2(!written && written.error().message.contains("no H100 SXM is attached"),
             written ? "" : written.error().message.c_str());
  }

  void each_step_is_judged_in_time() {
    QVERIFY(session_->execute(ApplyScript{kTiled}));
    QVERIFY(session_->wait_idle(30));
    Snapshot now = session_->snapshot();
    QVERIFY2(!now.refusal, now.refusal ? now.refusal->message.c_str() : "");
    QElapsedTimer timer;
    timer.start();
    auto view = seen(now.history->current, false);
    qInfo("accesses after %lld ms", timer.elapsed());
    QVERIFY(view->failure.empty());
    QVERIFY(timer.elapsed() < 300);
    QCOMPARE(view->kernel.launches.size(), size_t(1));
    LaunchReport const& launch = view->kernel.launches[0];
    QCOMPARE(launch.blocks(), int64_t(16));
    QCOMPARE(launch.threads(), 256);
    QVERIFY(!launch.registers && launch.accesses.size() >= 4);
    for (LaunchAccess const& one : launch.accesses) {
      QVERIFY2(one.undecided.empty(), one.undecided.c_str());
      QVERIFY(one.source_line > 0 && size_t(one.source_line) <= view->lines.size());
    }
    QVERIFY(costliest_access(view->kernel).launch == 0);
    QVERIFY(access_sentence(view->kernel).contains("would do"));
  }

  void registers_follow_where_there_is_an_assembler() {
    auto view = seen(session_->snapshot().history->current, true);
    LaunchReport const& launch = view->kernel.launches[0];
    if (!launch.registers) {
      QVERIFY2(launch.not_counted.contains("no ptxas was found"), launch.not_counted.c_str());
      QVERIFY(waves_sentence(view->kernel, launch).contains("At most"));
      QSKIP("there is no ptxas on this machine");
    }
    QVERIFY(*launch.registers > 8 && *launch.registers < 200);
    QVERIFY(waves_sentence(view->kernel, launch).contains("One wave"));
  }

  /// What the table promises is what the step gives.
  void paddings_hold_what_they_promise() {
    std::shared_ptr<PaddingsView const> paddings;
    QTRY_VERIFY(paddings = session::paddings(*session_, "A_cache"));
    QVERIFY(paddings->rows.size() >= 2);
    PaddingRow const now = paddings->rows[0], best = paddings->rows[1];
    QVERIFY(now.line.empty() && best.refusal.empty());
    QVERIFY(best.load < now.load || best.store < now.store || best.more_bytes < now.more_bytes);
    int64_t bytes =
        seen(session_->snapshot().history->current, false)->kernel.launches[0].shared_bytes;
    QVERIFY(session_->execute(ApplyStep{best.line}));
    QVERIFY(session_->wait_idle(30));
    auto view = seen(session_->snapshot().history->current, false);
    QCOMPARE(view->kernel.launches[0].shared_bytes, bytes + best.more_bytes);
    for (LaunchAccess const& one : view->kernel.launches[0].accesses)
      if (one.tensor == "A_cache")
        QVERIFY(std::abs(one.average - (one.store ? best.store : best.load)) < 1e-9);
  }

  /// Neither roofs nor occupancy: both say why.
  void what_nobody_documents_of_a_gpu_is_said() {
    if (!target_hardware("opencl")) QSKIP("this build has no target opencl");
    QVERIFY(session_->execute(UseDevice{"opencl:adreno-640"}));
    QVERIFY(session_->wait_idle(60));
    Snapshot now = session_->snapshot();
    QVERIFY(now.machine && !now.machine->attached && now.has_launches);
    QVERIFY(!now.machine->roofs_known);
    QVERIFY2(now.machine->no_roofs.contains("multiply-adds"), now.machine->no_roofs.c_str());
    auto view = seen(now.history->current, true);
    QVERIFY(view->failure.empty() && !view->kernel.launches.empty());
    QVERIFY(waves_sentence(view->kernel, view->kernel.launches[0]).contains("is not known"));
  }

  /// Nobody has looked at them, and none runs.
  void all_kernels_of_a_model_have_modelled_times() {
    QVERIFY(session_->execute(UseDevice{"cuda:h100"}));
    QVERIFY(session_->execute(OpenModel{"sample:dqn"}));
    QVERIFY(session_->wait_idle(60));
    QTRY_VERIFY_WITH_TIMEOUT(modelled_ms(*session_->snapshot().kernels), 60'000);
    KernelTable const table = *session_->snapshot().kernels;
    QVERIFY(table.rows.size() > 4);
    double sum = 0;
    for (KernelRow const& row : table.rows) {
      QVERIFY2(!row.time_ms && row.model_ms && *row.model_ms > 0, row.name.c_str());
      QVERIFY2(row.roof && row.fraction_of_roof && *row.fraction_of_roof <= 1, row.name.c_str());
      QVERIFY(share_of(table, row));
      sum += *row.model_ms * row.count;
    }
    QCOMPARE(*modelled_ms(table), sum);
    std::vector<int> slowest = chosen_rows(table, {KernelKey::kTime, false}, "");
    QVERIFY(*table.rows[size_t(slowest.front())].model_ms >
            *table.rows[size_t(slowest.back())].model_ms);
  }

  /// Matrix units are faster than what multiplies f32: not the roof of that is above them.
  void products_of_f16_are_below_the_roof_of_matrix_units() {
    std::string file = folder_.filePath("halves.te").toStdString();
    std::ofstream(file)
        << "tilewright te 1\nkernel p(A: f16[1024, 1024], B: f16[1024, 1024]) -> C\n"
           "  C[i in 1024, j in 1024] = sum[k in 1024] f32(A[i, k]) * f32(B[k, j])\n";
    QVERIFY(session_->execute(UseDevice{"cuda:h100"}));
    QVERIFY(session_->execute(OpenModel{file}));
    QVERIFY(session_->wait_idle(60));
    QTRY_VERIFY_WITH_TIMEOUT(session_->snapshot().kernels->rows[0].model_ms, 60'000);
    KernelRow const row = session_->snapshot().kernels->rows[0];
    QVERIFY(row.roof && row.roof->arithmetic);
    QVERIFY2(row.roof->value > 900'000 && row.roof->value < 1'200'000, row.roof->words.c_str());
    QVERIFY(row.fraction_of_roof && *row.fraction_of_roof > 0.05 && *row.fraction_of_roof < 1);
  }

  void a_device_that_is_there_has_no_launches() {
    QVERIFY(session_->execute(UseDevice{"local"}));
    QVERIFY(session_->wait_idle(60));
    Snapshot now = session_->snapshot();
    QVERIFY(now.machine->attached && !now.has_launches);
    QVERIFY(!session::launches(*session_, now.history->current, false));
    QVERIFY(!session::paddings(*session_, "A_cache"));
  }

private:
  std::shared_ptr<LaunchesView const> seen(int node, bool assembled) {
    std::shared_ptr<LaunchesView const> view;
    for (int i = 0; i < 4000 && !view; ++i) {
      view = session::launches(*session_, node, assembled);
      if (!view) QTest::qWait(5);
    }
    return view ? view : std::make_shared<LaunchesView const>();
  }

  QTemporaryDir folder_;
  std::unique_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(LaunchesTest)
#include "launches_test.moc"
