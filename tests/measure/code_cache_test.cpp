// Kept kernels: found again, told apart, rebuilt when damaged, limited in size.
#include "engine/compile/code_cache.h"

#include <QtTest>
#include <fstream>
#include <set>
#include <thread>

#include "engine/compile/compile_plan.h"
#include "engine/support/files.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"

using namespace tw;
namespace fs = std::filesystem;

namespace {

constexpr char kMatmul[] =
    "tilewright te 1\n"
    "kernel matmul(A: f32[32, 24], B: f32[24, 40] @param) -> C\n"
    "  C[i in 32, j in 40] = sum[k in 24] A[i, k] * B[k, j]\n";
constexpr char kPacked[] = "tilewright schedule 1\nfor matmul\npack(C, tensor=B, layout=BA16b)\n";
constexpr char kSplit[] = "tilewright schedule 1\nfor matmul\nj.0, j.1 = split(C.j, factor=8)\n";

Plan plan_of(char const* text) {
  KernelTask task;
  task.kernel = te::parse_kernel(text).value();
  task.name = task.kernel.name;
  Plan plan;
  plan.kernels.push_back(task);
  return plan;
}

std::string contents(fs::path const& file) { return read_file(file).value(); }

void overwrite(fs::path const& file, std::string const& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace

class CodeCacheTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { backend_ = create_cpu_backend(detect_host()).value(); }
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    where_ = fs::path(folder_->path().toStdString()) / "kernels";
  }

  void a_kernel_is_compiled_once_and_then_taken_with_all_its_parts() {
    KernelCode first = compile(kPacked, CodeTier::kFull, 0);
    KernelCode again = compile(kPacked, CodeTier::kFull, 1);
    QVERIFY(first.load && again.load);
    QVERIFY(first.run.parts[0].bytes == again.run.parts[0].bytes &&
            first.load->parts[0].bytes == again.load->parts[0].bytes);
    QCOMPARE(again.run.symbol, std::string("matmul"));
    QCOMPARE(again.load->symbol, first.load->symbol);
    QCOMPARE(again.run.workspace_bytes, first.run.workspace_bytes);
    QCOMPARE(again.made.size(), size_t(1));
    QVERIFY(ir::constant_shape(*again.made[0]) == ir::constant_shape(*first.made[0]));
    QCOMPARE(again.made[0]->type, first.made[0]->type);
    // The unpacked parameter is not read at run.
    QVERIFY((first.read == std::vector<bool>{true, false}) && again.read == first.read);
  }

  void another_script_tier_target_or_program_is_another_key() {
    ir::Program program = te::to_program(te::parse_kernel(kMatmul).value()).value();
    Hardware other = detect_host();
    other.memories[0].bytes *= 2;
    auto other_backend = create_cpu_backend(other).value();
    Hardware shared = detect_host();  // the rule gives each core its part of a cache
    shared.memories[0].shared_by += 1;
    auto shared_backend = create_cpu_backend(shared).value();
    ir::Program renamed = program;
    renamed.name = "product";
    std::string packed = kPacked, split = kSplit;
    std::set<std::string> keys = {
        code_key(program, nullptr, *backend_, CodeTier::kFull),
        code_key(program, nullptr, *backend_, CodeTier::kFast),
        code_key(program, &packed, *backend_, CodeTier::kFull),
        code_key(program, &split, *backend_, CodeTier::kFull),
        code_key(program, nullptr, *other_backend, CodeTier::kFull),
        code_key(program, nullptr, *shared_backend, CodeTier::kFull),
        code_key(renamed, nullptr, *backend_, CodeTier::kFull),
    };
    QCOMPARE(keys.size(), size_t(7));
    QVERIFY(keys.begin()->starts_with("version "));
  }

  void passes_that_are_left_out_are_another_key() {
    ir::Program program = te::to_program(te::parse_kernel(kMatmul).value()).value();
    auto without = [&](std::vector<std::string> passes) {
      LowerOptions options;
      options.off = std::move(passes);
      return code_key(program, nullptr, *backend_, CodeTier::kFull, options);
    };
    std::set<std::string> keys = {without({}), without({"simplify"}), without({"unroll_loops"}),
                                  without({"simplify", "unroll_loops"})};
    QCOMPARE(keys.size(), size_t(4));
    QCOMPARE(without({}), code_key(program, nullptr, *backend_, CodeTier::kFull));
  }

  void a_damaged_entry_is_noticed_removed_and_compiled_again() {
    KernelCode first = compile(kPacked, CodeTier::kFull, 0);
    fs::path file = entry();
    std::string good = contents(file);
    std::vector<std::string> damaged = {"",
                                        "x",
                                        good.substr(0, 17),
                                        good.substr(0, 20),
                                        good.substr(0, good.size() - 1),
                                        good + "x",
                                        std::string(good.size(), '\0')};
    for (size_t at = 0; at < good.size(); at += 1 + good.size() / 40) {
      damaged.push_back(good);
      damaged.back()[at] = char(damaged.back()[at] ^ 0x10);
    }
    for (std::string const& bytes : damaged) {
      overwrite(file, bytes);
      CodeCache cache({where_});
      KernelCode again = compile_with(cache, kPacked, CodeTier::kFull);
      QCOMPARE(cache.counts().broken, 1);
      QCOMPARE(cache.counts().kept, 1);
      QVERIFY(again.run.parts[0].bytes == first.run.parts[0].bytes);
      QVERIFY(contents(file) == good);  // rebuilt to the byte
    }
  }

  void an_entry_of_another_program_under_this_ones_name_is_foreign() {
    compile(kPacked, CodeTier::kFull, 0);
    fs::path packed = entry();
    std::string foreign = contents(packed);
    fs::remove(packed);
    compile(kSplit, CodeTier::kFull, 0);
    overwrite(entry(), foreign);
    CodeCache cache({where_});
    KernelCode code = compile_with(cache, kSplit, CodeTier::kFull);
    QCOMPARE(cache.counts().broken, 1);
    QVERIFY(!code.load);
  }

  void the_least_recently_used_entries_go_when_there_are_too_many() {
    CodeCache cache({where_});
    KernelCode code = compile_with(cache, kPacked, CodeTier::kFull);
    fs::remove(entry());
    cache.keep("a", code);  // an entry holds its key, too
    int64_t bytes = int64_t(fs::file_size(cache.file_of("a")));
    CodeCache small({where_, bytes * 5 / 2});
    auto now = fs::file_time_type::clock::now();
    for (char const* key : {"a", "b", "c"}) small.keep(key, code);
    fs::last_write_time(small.file_of("a"), now - std::chrono::hours(3));
    fs::last_write_time(small.file_of("b"), now - std::chrono::hours(2));
    fs::last_write_time(small.file_of("c"), now - std::chrono::hours(1));
    QVERIFY(small.find("a"));  // makes it the youngest
    small.trim();
    QVERIFY(fs::exists(small.file_of("a")) && fs::exists(small.file_of("c")));
    QVERIFY(!fs::exists(small.file_of("b")));
  }

  void the_limit_stands_in_the_folder_for_every_process() {
    QCOMPARE(limit_of_code(where_), int64_t(256) << 20);
    compile(kPacked, CodeTier::kFast, 0);
    compile(kSplit, CodeTier::kFast, 0);
    QCOMPARE(entries().size(), size_t(2));
    QVERIFY(keep_limit_of_code(where_, 1));
    QCOMPARE(limit_of_code(where_), int64_t(1));
    for (char const* damaged : {"26843and garbage", "26843 7", "-5", ""}) {
      QVERIFY(write_file(where_ / "limit", damaged));
      QCOMPARE(limit_of_code(where_), int64_t(256) << 20);
    }
    QVERIFY(keep_limit_of_code(where_, 1));
    CodeCache({.folder = where_}).trim();
    QVERIFY(entries().empty());
    QVERIFY(fs::exists(where_ / "limit"));
    overwrite(where_ / "limit", "not a number");
    QCOMPARE(limit_of_code(where_), int64_t(256) << 20);
  }

  void processes_that_trim_at_once_remove_no_more_than_is_over() {
    fs::create_directories(where_);
    for (int i = 0; i < 200; ++i)
      overwrite(where_ / (std::to_string(i) + ".twk"), std::string(1000, 'x'));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back([&] { CodeCache({where_, 100'000}).trim(); });
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(entries().size(), size_t(100));
  }

  void a_folder_that_cannot_be_written_keeps_nothing_and_hinders_nothing() {
    fs::path file = fs::path(folder_->path().toStdString()) / "file";
    overwrite(file, "no folder");
    CodeCache cache({file / "kernels"});
    QVERIFY(!compile_with(cache, kSplit, CodeTier::kFast).run.parts[0].bytes.empty());
    QCOMPARE(cache.counts().kept, 0);
    cache.trim();
  }

  void several_threads_may_keep_and_find_the_same_kernel_at_once() {
    KernelCode code = compile(kSplit, CodeTier::kFast, 0);
    std::atomic<int> wrong = 0;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
          CodeCache cache({where_});
          for (int i = 0; i < 50; ++i) {
            cache.keep("key", code);
            auto found = cache.find("key");
            wrong += !found || found->run.parts[0].bytes != code.run.parts[0].bytes;
          }
          wrong += cache.counts().broken;
        });
    }
    QCOMPARE(wrong.load(), 0);
  }

private:
  std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    for (auto const& file : fs::directory_iterator(where_))
      if (file.path().extension() == ".twk") found.push_back(file.path());
    return found;
  }
  KernelCode compile_with(CodeCache& cache, char const* script, CodeTier tier) {
    CompileOptions options{.scripts = {{0, script}}, .tier = tier, .cache = &cache};
    return compile_plan(plan_of(kMatmul), *backend_, options).value()[0];
  }
  /// `found`: how many kernels must come from the cache.
  KernelCode compile(char const* script, CodeTier tier, int found) {
    CodeCache cache({where_});
    KernelCode code = compile_with(cache, script, tier);
    if (cache.counts().found != found || cache.counts().broken != 0)
      qFatal("%d kernels came from the cache", cache.counts().found);
    return code;
  }
  /// The only one.
  fs::path entry() const { return fs::directory_iterator(where_)->path(); }

  std::shared_ptr<Backend const> backend_;
  std::unique_ptr<QTemporaryDir> folder_;
  fs::path where_;
};

QTEST_GUILESS_MAIN(CodeCacheTest)
#include "code_cache_test.moc"
