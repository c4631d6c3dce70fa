// Kernels of blocks and threads as PTX and as CUDA C: where a toolkit is found, ptxas assembles all
// of them without a spill, and nvcc takes the text beside them.
#include <QtTest>

#include <fmt/format.h>

#include "engine/support/files.h"
#include "engine/support/run_program.h"
#include "targets/cuda/compiler/toolkit.h"
#include "targets/shared/launch_record/launch_record.h"
#include "tests/support/bound_kernels.h"
#include "tests/support/cuda_gpus.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"
#include "tests/support/shared_rows.h"

using namespace tw;

namespace {

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

}  // namespace

class KernelsTest : public QObject {
  Q_OBJECT
private slots:
  void each_kernel_assembles_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("gpu");
    for (std::string const& name :
         testing::bound_kernel_names({testing::kBoundKernels, testing::kCudaKernels}))
      for (char const* one : {"a100", "h100"})
        QTest::newRow((name + " " + one).c_str()) << QString::fromStdString(name) << QString(one);
    for (std::string const& name : testing::bound_kernel_names({testing::kBoundKernels}))
      QTest::newRow((name + " v100").c_str()) << QString::fromStdString(name) << "v100";
  }
  void each_kernel_assembles() {
    QFETCH(QString, name);
    QFETCH(QString, gpu);
    auto backend = testing::backend_for(gpu.toStdString());
    auto made = testing::bound_kernel(name.toStdString(), *backend);
    QVERIFY2(made, sentence(made).c_str());
    auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {});
    QVERIFY2(code, sentence(code).c_str());
    std::string ptx(reinterpret_cast<char const*>(code->parts[1].bytes.data()),
                    code->parts[1].bytes.size());
    QVERIFY(ptx.contains(".visible .entry tw_"));
    for (CodeListing const& listing : code->listings)
      QCOMPARE(listing.source_line.size(), size_t(std::ranges::count(listing.text, '\n')));
    QVERIFY2(code->listings[4].text.contains(", ideal ") &&
                 !code->listings[4].text.contains("not decided"),
             code->listings[4].text.c_str());
    std::string const& resources = code->listings[3].text;
    if (cuda::find_toolkit().ptxas.empty()) QSKIP("there is no ptxas here");
    if (resources.contains("no ptxas that was found knows"))
      QSKIP("there is no ptxas of a toolkit up to 12.9 here");
    QVERIFY2(resources.contains("spills         none"), resources.c_str());
    QVERIFY2(!resources.contains("not known") && resources.contains("occupancy"),
             (resources + ptx).c_str());
    QVERIFY2(!resources.contains("local memory"), (resources + code->listings[0].text).c_str());
  }

  void instructions_of_later_gpus_are_not_known_to_a_v100() {
    auto names = [](char const* gpu) {
      std::set<std::string> all;
      auto backend = testing::backend_for(gpu);
      for (TensorIntrinsic const& one : backend->target().intrinsics)
        all.insert(one.declaration->name);
      return all;
    };
    for (char const* name : {"mma_f16", "copy_async_16"}) {
      QVERIFY(names("a100").contains(name));
      QVERIFY(!names("v100").contains(name));
    }
  }

  void nvcc_takes_the_text() {
    std::filesystem::path nvcc = cuda::find_toolkit().ptxas.parent_path() / "nvcc";
    if (!std::filesystem::exists(nvcc)) QSKIP("there is no nvcc here");
    auto backend = testing::backend_for("a100");
    std::string all;
    for (std::string const& name :
         testing::bound_kernel_names({testing::kBoundKernels, testing::kCudaKernels})) {
      auto made = testing::bound_kernel(name, *backend);
      QVERIFY2(made, sentence(made).c_str());
      auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {}).value();
      all += "namespace " + name + " {\n" + code.listings[0].text + "}\n";
    }
    // Several kernels of one name are one function: each is given another one.
    int number = 0;
    for (size_t at = 0; (at = all.find("extern \"C\" ", at)) != std::string::npos; ++number)
      all.erase(at, 11);
    QTemporaryDir folder;
    std::string source = folder.filePath("all.cu").toStdString();
    QVERIFY(write_file(source, all, Durability::kFast));
    auto run = run_program({nvcc.string(), "-arch=sm_80", "-cubin", "-Xptxas", "-v", source, "-o",
                            folder.filePath("all.cubin").toStdString()},
                           std::chrono::minutes(5));
    QVERIFY2(run, sentence(run).c_str());
    QVERIFY2(run->exit_code == 0, run->output.c_str());
    std::vector<cuda::FunctionResources> counted = cuda::parse_resources(run->output);
    QCOMPARE(int(counted.size()), number);
    for (cuda::FunctionResources const& one : counted) QCOMPARE(one.spill_bytes, int64_t(0));
  }

  void default_schedules_do_not_spill_data() {
    QTest::addColumn<QString>("gpu");
    QTest::addColumn<int>("channels");
    QTest::addColumn<int>("edge");
    for (char const* gpu : {"a100", "rtx4090", "h100"})
      for (auto [channels, edge] : {std::pair(64, 56), {128, 28}, {256, 14}})
        QTest::addRow("%s %d %d", gpu, channels, edge) << QString(gpu) << channels << edge;
  }
  /// Convolutions whose sums take nearly all registers of a thread.
  void default_schedules_do_not_spill() {
    QFETCH(QString, gpu);
    QFETCH(int, channels);
    QFETCH(int, edge);
    auto backend = testing::backend_for(gpu.toStdString());
    std::string text = fmt::format(
        "tilewright te 1\nkernel conv(X: f32[16, {0}, {1}, {1}], W: f32[{0}, {0}, 3, 3]) -> Y\n"
        "  P[n in 16, c in {0}, y in {2}, x in {2}] = select(1 <= y && y < {3} && 1 <= x && "
        "x < {3}, X[n, c, y-1, x-1], 0.0)\n"
        "  Y[n in 16, o in {0}, y in {1}, x in {1}] = sum[c in {0}, r in 3, s in 3] "
        "P[n, c, y+r, x+s] * W[o, c, r, s]\n",
        channels, edge, edge + 2, edge + 1);
    auto kernel = te::parse_kernel(text);
    QVERIFY2(kernel, sentence(kernel).c_str());
    auto schedule = backend->default_schedule(te::to_program(*kernel).value()).value();
    QVERIFY(std::ranges::count(schedule.script(), '\n') <= 25);
    auto launched = backend->launches(schedule.program(), true, {}).value();
    for (LaunchReport const& one : launched.launches) {
      if (!one.registers) QSKIP(one.not_counted.c_str());
      QCOMPARE(one.spill_bytes, int64_t(0));
    }
  }

  void room_for_registers_is_made_where_ptxas_would_spill_and_on_the_same_line() {
    std::string const ptx =
        ".visible .entry f(\n)\n.maxntid 56, 1, 1\n{\n}\n"
        ".visible .entry g(\n)\n.maxntid 64, 1, 1\n{\n}\n";
    std::string roomy = cuda::with_room(ptx, {{"g", 2}});
    QVERIFY(roomy.contains(".maxntid 64, 1, 1 .minnctapersm 2\n"));
    QVERIFY(roomy.contains(".maxntid 56, 1, 1\n"));
    QCOMPARE(std::ranges::count(roomy, '\n'), std::ranges::count(ptx, '\n'));
    // Without an assembler nobody knows, and the code stays as it is.
    QVERIFY(cuda::room_without_spills({}, ptx, "sm_80").empty());
  }

  void vector_loops_become_vectors() {
    auto backend = testing::backend_for("a100");
    auto texts = [&](char const* name) {
      auto made = testing::bound_kernel(name, *backend).value();
      auto code = backend->generate(made.lowered, CodeTier::kFull, CodeTexts::kAll, {}).value();
      return std::pair(code.listings[0].text, code.listings[1].text);
    };
    auto [wide, wide_ptx] = texts("product_wide");
    for (char const* part : {"*(float4*)&A_cache[", "= *(float4 const*)&A[", "*(float4*)&C["})
      QVERIFY2(wide.contains(part), wide.c_str());
    for (char const* part :
         {"ld.global.nc.v4.f32", "st.shared.v4.f32", "ld.shared.v4.f32", "st.global.v4.f32"})
      QVERIFY2(wide_ptx.contains(part), wide_ptx.c_str());
    // A row of 29 elements begins where no vector of four may stand.
    QVERIFY(!texts("transpose").first.contains("float4"));
    std::string bytes = texts("bytes_wide").first;
    QVERIFY2(bytes.contains("*(uchar4 const*)&X[") && bytes.contains("*(float4*)&Y["),
             bytes.c_str());
    // What a condition chooses between is read where it is chosen.
    QVERIFY2(!bytes.contains("float4 const*)&A["), bytes.c_str());
  }

  void copies_go_on_while_others_compute() {
    auto backend = testing::backend_for("a100");
    auto made = testing::bound_kernel("product_async", *backend);
    QVERIFY2(made, sentence(made).c_str());
    auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {}).value();
    std::string text = code.listings[0].text, ptx = code.listings[1].text;
    for (char const* part : {"cp.async.cg.shared.global [", "cp.async.commit_group;"}) {
      QVERIFY2(ptx.contains(part), ptx.c_str());
      QVERIFY2(text.contains(part), text.c_str());
    }
    QVERIFY2(text.contains("\"n\"(1)") && text.contains("\"n\"(0)"), text.c_str());
    std::string flat = QString::fromStdString(ptx).simplified().toStdString();
    QVERIFY2(flat.contains("cp.async.wait_group 1;") && flat.contains("cp.async.wait_group 0;"),
             ptx.c_str());
    // Nobody uses what may still be under way, and threads meet where they have to.
    Rng rng(4);
    std::vector<NDArray> inputs = testing::random_inputs(made->kernel, rng);
    auto wanted = ir::interpret(made->schedule.origin(), inputs).value();
    ir::Sharing sharing = placed_sharing(backend->target());
    auto outputs = ir::interpret(made->lowered, inputs.size(), inputs,
                                 {.shuffle_seed = 9, .sizes = {}, .sharing = &sharing, .stop = {}});
    QVERIFY2(outputs, sentence(outputs).c_str());
    QCOMPARE(testing::difference(wanted, *outputs), std::string());
  }

  void a_copy_stands_where_it_is_known_to() {
    auto backend = testing::backend_for("a100");
    auto made = [&](std::string const& columns, std::string const& bytes,
                    std::string const& lanes) -> Result<Artifact> {
      TRY_ASSIGN(te::Kernel kernel,
                 te::parse_kernel("tilewright te 1\nkernel rows(X: f32[8, " + columns +
                                  "]) -> Y\n  Y[i in 8, j in 24] = X[i, 23-j]\n"));
      TRY_ASSIGN(ir::Program program, te::to_program(kernel));
      TRY_ASSIGN(Script steps,
                 parse_script("tilewright schedule 1\nbind(Y.i, axis=blockIdx.x)\n"
                              "j0, j1 = split(Y.j, factor=6)\nbind(j1, axis=threadIdx.x)\n"
                              "cache_read(Y, tensor=X, scope=shared)\ncompute_at(X_cache, Y.i)\n"
                              "c0, cw = split(X_cache.d1, factor=" +
                              lanes +
                              ")\n"
                              "c1, c2 = split(c0, factor=6)\nbind(c2, axis=threadIdx.x)\n"
                              "tensorize(cw, intrinsic=copy_async_" +
                              bytes + ")\n"));
      auto done = replay(Schedule(program, backend->shared_target()), steps);
      if (!done) return refused(done.error().code, done.error().message);
      TRY_ASSIGN(auto stages, lower(done->program(), backend->target(), backend->passes()));
      return backend->generate(stages.back().kernel, CodeTier::kFull, CodeTexts::kAll, {});
    };
    auto even = made("24", "16", "4"), pairs = made("26", "8", "2"), odd = made("26", "16", "4"),
         single = made("25", "4", "1");
    QVERIFY2(even, sentence(even).c_str());
    QVERIFY2(pairs, sentence(pairs).c_str());
    QVERIFY2(pairs->listings[1].text.contains("cp.async.ca.shared.global ["),
             pairs->listings[1].text.c_str());
    QVERIFY2(single, sentence(single).c_str());
    QVERIFY(!odd);
    QCOMPARE(odd.error().code, std::string("unaligned_copy"));
    QVERIFY2(odd.error().message.contains("multiples of 16 bytes") &&
                 odd.error().message.contains("of X is only known to be at a multiple of 8"),
             odd.error().message.c_str());
  }

  void a_launch_gives_what_no_function_may_declare() {
    auto backend = testing::backend_for("h100");
    auto made = [&](int64_t bytes) -> Result<Artifact> {
      TRY_ASSIGN(testing::SharedRows rows, testing::shared_rows(bytes, 256, *backend));
      TRY_ASSIGN(auto stages, lower(rows.schedule.program(), backend->target(), backend->passes()));
      return backend->generate(stages.back().kernel, CodeTier::kFull, CodeTexts::kAll, {});
    };
    auto record = [](Artifact const& code) {
      std::string text(reinterpret_cast<char const*>(code.parts[0].bytes.data()),
                       code.parts[0].bytes.size());
      return launch_record::parse_record(text).value();
    };
    auto declared = made(48 << 10);
    QVERIFY2(declared, sentence(declared).c_str());
    QVERIFY(!declared->listings[0].text.contains("extern __shared__"));
    QCOMPARE(record(*declared).launches[0].shared_bytes, int64_t(0));
    for (int64_t bytes : {(48 << 10) + 1, 227 << 10}) {
      auto given = made(bytes);
      QVERIFY2(given, sentence(given).c_str());
      QVERIFY2(given->listings[0].text.contains("extern __shared__"),
               given->listings[0].text.c_str());
      QVERIFY2(given->listings[1].text.contains(".extern .shared"),
               given->listings[1].text.c_str());
      QCOMPARE(record(*given).launches[0].shared_bytes, (bytes + 63) / 64 * 64);
      QVERIFY2(given->listings[3].text.contains("of 232448, given by the launch"),
               given->listings[3].text.c_str());
      if (!cuda::find_toolkit().ptxas.empty())
        QVERIFY2(given->listings[3].text.contains("registers      ") &&
                     !given->listings[3].text.contains("not known"),
                 given->listings[3].text.c_str());
    }
    auto more = made((227 << 10) + 1);
    QVERIFY(!more);
    QCOMPARE(more.error().code, std::string("scope_overflow"));
    QVERIFY2(more.error().message.contains("X_cache"), more.error().message.c_str());
  }

  void without_a_toolkit_the_reason_is_said() {
    auto none = cuda::assemble({}, "", "sm_80");
    QVERIFY(!none);
    QCOMPARE(none.error().code, std::string("no_toolkit"));
    cuda::Toolkit found = cuda::find_toolkit();
    if (found.ptxas.empty()) QSKIP("there is no ptxas here");
    auto wrong = cuda::assemble(found, "no PTX\n", "sm_80");
    QVERIFY(!wrong);
    QCOMPARE(wrong.error().code, std::string("assembler_failed"));
    QVERIFY2(wrong.error().message.contains("error"), wrong.error().message.c_str());
  }

  void what_ptxas_says_is_read() {
    auto list = cuda::parse_resources(
        "ptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function 'f' for 'sm_80'\n"
        "ptxas info    : Function properties for f\n"
        "    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
        "ptxas info    : Used 32 registers, used 1 barriers, 2048 bytes smem, 400 bytes cmem[0]\n"
        "ptxas info    : Compiling entry function 'g' for 'sm_80'\n"
        "ptxas info    : Used 8 registers, 352 bytes cmem[0]\n");
    QCOMPARE(list.size(), size_t(2));
    QCOMPARE(list[0].function, std::string("f"));
    QCOMPARE(list[0].registers, 32);
    QCOMPARE(list[0].spill_bytes, int64_t(20));
    QCOMPARE(list[0].stack_bytes, int64_t(16));
    QCOMPARE(list[0].shared_bytes, int64_t(2048));
    QCOMPARE(list[1].registers, 8);
    QCOMPARE(list[1].shared_bytes, int64_t(0));
    QVERIFY(cuda::parse_resources("Used registers bytes smem\nentry function '").size() <= 1);
  }
};

QTEST_GUILESS_MAIN(KernelsTest)
#include "kernels_test.moc"
