// Mobile GPUs that nobody has: their limits hold to the thread and to the byte, and what their
// makers do not document is said to be unknown.
#include <QtTest>

#include "engine/backend/target_table.h"
#include "engine/schedule/trace.h"
#include "engine/session/views/launch_views.h"
#include "targets/opencl/compiler/known_gpus.h"
#include "targets/opencl/compiler/opencl_backend.h"
#include "targets/opencl/hardware/description.h"
#include "tests/support/bound_kernels.h"
#include "tests/support/gpu_scripts.h"
#include "tests/support/shared_rows.h"

using namespace tw;

namespace {

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

std::shared_ptr<Backend const> backend_of(std::string const& spelling) {
  return create_backend(target_hardware(spelling).value()).value();
}

Result<KernelLaunches> launches_of(Backend const& backend, std::string const& text,
                                   std::string const& script) {
  TRY_ASSIGN(te::Kernel kernel, te::parse_kernel(text));
  TRY_ASSIGN(ir::Program program, te::to_program(kernel));
  TRY_ASSIGN(Script steps, parse_script("tilewright schedule 1\n" + script));
  auto done = replay(Schedule(program, backend.shared_target()), steps);
  if (!done) return refused(done.error().code, done.error().message);
  return backend.launches(done->program(), true, {});
}

Result<Artifact> rows(Backend const& backend, int64_t bytes, int threads) {
  TRY_ASSIGN(testing::SharedRows made, testing::shared_rows(bytes, threads, backend));
  TRY_ASSIGN(auto stages, lower(made.schedule.program(), backend.target(), backend.passes()));
  return backend.generate(stages.back().kernel, CodeTier::kFull, CodeTexts::kAll, {});
}

}  // namespace

class DescribedTest : public QObject {
  Q_OBJECT
private slots:
  void each_is_a_device_that_can_be_chosen() {
    std::vector<std::string> names = described_devices();
    for (gpu_text::Sheet const& sheet : opencl::known_gpus()) {
      std::string spelling = std::string("opencl:") + sheet.name;
      QVERIFY2(std::ranges::count(names, spelling) == 1, spelling.c_str());
      auto hardware = target_hardware(spelling);
      QVERIFY2(hardware, sentence(hardware).c_str());
      QVERIFY(opencl::limits_of(*hardware));
      QVERIFY(kind_of(*hardware).contains("OpenCL GPU"));
    }
    QVERIFY(std::ranges::count(names, "opencl") == 0);
    auto none = target_hardware("opencl:mali-g1");
    QVERIFY(!none);
    QCOMPARE(none.error().code, std::string("unknown_target"));
  }

  void a_thread_or_a_byte_more_is_refused_data() {
    QTest::addColumn<QString>("gpu");
    QTest::addColumn<int>("threads");
    QTest::newRow("mali-g72") << "opencl:mali-g72" << 384;
    QTest::newRow("mali-g78") << "opencl:mali-g78" << 512;
    QTest::newRow("adreno-640") << "opencl:adreno-640" << 1024;
    QTest::newRow("adreno-740") << "opencl:adreno-740" << 1024;
  }
  void a_thread_or_a_byte_more_is_refused() {
    QFETCH(QString, gpu);
    QFETCH(int, threads);
    auto backend = backend_of(gpu.toStdString());
    auto most = rows(*backend, 32 << 10, threads);
    QVERIFY2(most, sentence(most).c_str());
    auto thread = rows(*backend, 32 << 10, threads + 1);
    QVERIFY(!thread);
    QVERIFY2(thread.error().message.contains(std::to_string(threads + 1)) &&
                 thread.error().message.contains(std::to_string(threads)),
             sentence(thread).c_str());
    auto byte = rows(*backend, (32 << 10) + 1, 256);
    QVERIFY(!byte);
    QCOMPARE(byte.error().code, std::string("scope_overflow"));
    QVERIFY2(byte.error().message.contains("X_cache"), sentence(byte).c_str());
  }

  /// A row of elements is four bytes for each thread of a warp, a column a sector.
  void accesses_are_those_of_the_devices_own_warps() {
    for (auto const& [gpu, warp] :
         {std::pair{"opencl:mali-g72", 4}, {"opencl:mali-g78", 16}, {"opencl:adreno-640", 64}}) {
      auto made = launches_of(*backend_of(gpu), testing::transpose_text(256),
                              "by, bx, ty, tx = tile(Y.i, Y.j, outer_factor=1, inner_factor=64)\n"
                              "bind(by, axis=blockIdx.y)\nbind(bx, axis=blockIdx.x)\n"
                              "bind(ty, axis=threadIdx.y)\nbind(tx, axis=threadIdx.x)\n");
      QVERIFY2(made, sentence(made).c_str());
      QCOMPARE(made->unit.warp, warp);
      QCOMPARE(made->launches.size(), size_t(1));
      for (LaunchAccess const& one : made->launches[0].accesses)
        QCOMPARE(one.average, one.store ? std::max(1.0, warp * 4 / 32.0) : double(warp));
    }
  }

  void what_nobody_documents_is_said_to_be_unknown() {
    auto backend = backend_of("opencl:mali-g78");
    auto made = launches_of(*backend, testing::transpose_text(64),
                            testing::tiled_transpose_script(16, false));
    QVERIFY2(made, sentence(made).c_str());
    QVERIFY(!made->no_occupancy.empty() && !made->launches[0].registers);
    QCOMPARE(made->launches[0].shared_bytes, int64_t(16 * 16 * 4));
    int shared = 0;
    for (LaunchAccess const& one : made->launches[0].accesses) {
      QCOMPARE(one.undecided.empty(), !one.shared);
      QCOMPARE(bool(one.request), !one.shared);
      shared += one.shared;
    }
    QVERIFY(shared > 0);
    std::string words = session::waves_sentence(*made, made->launches[0]);
    QVERIFY2(words.starts_with("16 blocks of 256 threads for 20 ") &&
                 words.contains("How many run at once is not known"),
             words.c_str());
  }

  void roofs_follow_from_what_is_documented() {
    auto mali = computed_roofs(target_hardware("opencl:mali-g78").value());
    QVERIFY(mali);
    QCOMPARE(mali->best("f32").all_cores, 2 * 32 * 20 * 0.848);
    QCOMPARE(mali->memory.back().load.all_cores, 51.0);
    QVERIFY(!computed_roofs(target_hardware("opencl:adreno-640").value()));
    auto roofs = backend_of("opencl:adreno-640")->roof_probes();
    QVERIFY(!roofs && roofs.error().message.contains("multiply-adds"));
  }

  void what_a_device_says_of_itself_is_not_judged() {
    QVERIFY(is_described_by_device("opencl"));
    QVERIFY(!computed_roofs(opencl::any_device()));
    QVERIFY(!opencl::create_opencl_backend(opencl::any_device()).value()->has_launches());
  }
};

QTEST_GUILESS_MAIN(DescribedTest)
#include "described_test.moc"
