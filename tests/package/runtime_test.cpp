// The runtime library's loader against packages that are damaged, foreign or hostile: one sentence
// for each, and never a crash.
#include <QtTest>

#include <fstream>
#include <thread>

#include "engine/runtime/package/checksum.h"
#include "engine/runtime/package/description.h"
#include "engine/runtime/tilewright.h"
#include "engine/support/files.h"
#include "tests/package/tiny_export.h"

using namespace tw;
namespace fs = std::filesystem;

namespace {

void overwrite(fs::path const& file, std::string const& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

void replace(std::string& text, std::string const& from, std::string const& to) {
  size_t at = text.find(from);
  if (at == std::string::npos) qFatal("no '%s' in the description", from.c_str());
  text.replace(at, from.size(), to);
}

}  // namespace

class RuntimeTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { testing::export_model_to(testing::tiny_network(), at(""), at("good")); }
  void init() {
    fs::remove_all(at("copy"));
    fs::copy(at("good"), at("copy"), fs::copy_options::recursive);
  }

  void a_good_package_runs_again_and_again_with_the_same_result() {
    for (int threads : {1, 2}) {
      TwModel* model = tw_load(at("good").c_str(), threads);
      QVERIFY2(model, tw_error());
      QCOMPARE(tw_threads(model), threads);
      QCOMPARE(tw_input_count(model), 1);
      QCOMPARE(tw_output_count(model), 1);
      TwTensor const* input = tw_input(model, 0);
      QCOMPARE(input->rank, 4);
      QCOMPARE(std::string(input->type_name), std::string("f32"));
      QCOMPARE(input->bytes, int64_t(3 * 17 * 17 * 4));
      std::string stored = read_file(at("good") / "test/input_0.bin").value();
      std::string expected = read_file(at("good") / "test/output_0.bin").value();
      std::memcpy(tw_input_data(model, 0), stored.data(), stored.size());
      for (int round = 0; round < 3; ++round) {
        QVERIFY2(tw_run(model) == 0, tw_error());
        for (int64_t i = 0; i < 5; ++i) {
          double ours = tw_value(tw_output_data(model, 0), tw_output(model, 0)->type, i);
          double theirs = tw_value(expected.data(), TW_F32, i);
          QVERIFY(std::abs(ours - theirs) < 1e-3);
        }
      }
      QVERIFY(!tw_input(model, 1) && !tw_input(model, -1) && !tw_output_data(model, 7));
      tw_free(model);
    }
    tw_free(nullptr);
  }

  void running_keeps_the_callers_cores_as_they_were() {
    cpu_set_t before, after;
    sched_getaffinity(0, sizeof before, &before);
    TwModel* model = tw_load(at("good").c_str(), 2);
    QVERIFY(model && tw_run(model) == 0);
    sched_getaffinity(0, sizeof after, &after);
    QVERIFY(CPU_EQUAL(&before, &after));
    tw_free(model);
  }

  void models_run_side_by_side_in_several_threads() {
    std::atomic<int> failures = 0;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
          TwModel* model = tw_load(at("good").c_str(), 1);
          for (int i = 0; model && i < 20; ++i) failures += tw_run(model) != 0;
          failures += model == nullptr;
          tw_free(model);
        });
    }
    QCOMPARE(failures.load(), 0);
  }

  void what_is_not_there_is_said() {
    QCOMPARE(refusal("/nowhere"),
             QString("/nowhere/model.json cannot be read: No such file or directory"));
    QVERIFY(tw_load(nullptr, 0) == nullptr);
    QCOMPARE(QString(tw_error()), QString("no folder was given"));
    QVERIFY(tw_load(at("good").c_str(), -3) == nullptr);
    QCOMPARE(QString(tw_error()), QString("the number of threads must be from 0 to 1024, not -3"));
    fs::remove(at("copy") / "kernels.so");
    QVERIFY(refusal(at("copy")).endsWith("kernels.so cannot be read: No such file or directory"));
    fs::remove(at("copy") / "model.json");
    fs::create_directory(at("copy") / "model.json");
    QVERIFY(refusal(at("copy")).contains("model.json cannot be read"));
  }

  void every_damaged_file_is_noticed() {
    for (char const* name : {"model.json", "kernels.so", "parameters.bin"}) {
      fs::path file = at("copy") / name;
      std::string good = read_file(file).value();
      // Without the last line break it would still be whole.
      for (size_t at_byte = 0; at_byte + 2 < good.size(); at_byte += 1 + good.size() / 50) {
        std::string bad = good;
        bad[at_byte] = char(bad[at_byte] ^ 1);
        overwrite(file, bad);
        QVERIFY2(!refusal(at("copy")).isEmpty(), name);
        overwrite(file, good.substr(0, at_byte));
        QVERIFY2(!refusal(at("copy")).isEmpty(), name);
      }
      overwrite(file, good + "x");
      QVERIFY2(!refusal(at("copy")).isEmpty(), name);
      overwrite(file, good);
    }
    overwrite(at("copy") / "parameters.bin", "short");
    QVERIFY(refusal(at("copy")).startsWith("parameters.bin is damaged: it has 5 bytes of "));
    QCOMPARE(refusal(at("good")), QString());
  }

  void another_version_or_processor_is_refused_before_any_code_is_loaded() {
    std::string text = read_file(at("copy") / "model.json").value();
    std::string version = text;
    replace(version, "\"tilewright_package\": 1", "\"tilewright_package\": 4");
    overwrite(at("copy") / "model.json", version);
    QCOMPARE(refusal(at("copy")),
             QString("the package is of version 4, but this runtime reads versions up to 3"));
    package::Description whole = package::parse_description(text).value();
    whole.target.features = {"sse3", "amx-warp"};
    whole.target.processor = "x86-64-v9";
    fs::remove(at("copy") / "kernels.so");
    overwrite(at("copy") / "model.json", package::to_text(whole));
    QString missing = refusal(at("copy"));
    QVERIFY2(missing.startsWith("the package is for x86-64-v9 processors; this one lacks ") &&
                 missing.endsWith("amx-warp"),
             qPrintable(missing));
    whole.target.architecture = "riscv64";
    overwrite(at("copy") / "model.json", package::to_text(whole));
    QVERIFY(refusal(at("copy")).startsWith("the package is for riscv64, this machine is "));
  }

  void a_description_that_would_reach_outside_is_refused_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("says");
    auto row = [](char const* name, char const* from, char const* to, char const* says) {
      QTest::newRow(name) << from << to << says;
    };
    row("path", "\"kernels.so\"", "\"../kernels.so\"", "is not the name of a file in the folder");
    row("hidden", "\"parameters.bin\"", "\".bashrc\"", "is not the name of a file in the folder");
    row("input", "[\"input\", 0,", "[\"input\", 1,", "is outside its region");
    row("negative", "[\"input\", 0,", "[\"input\", -1,", "a buffer is in no region");
    row("region", "[\"input\", 0,", "[\"stack\", 0,", "there is no region 'stack'");
    row("arena", "\"arena_bytes\": ", "\"arena_bytes\": 0, \"was\": ", "is outside its region");
    row("huge", "\"workspace_bytes\": ", "\"workspace_bytes\": 9000000000000000000, \"was\": ",
        "'workspace_bytes' is 9000000000000000000");
    row("overflow", "\"workspace_bytes\": ",
        "\"workspace_bytes\": 99999999999999999999999, \"was\": ", "no value at byte");
    row("shape", "\"shape\": [1,", "\"shape\": [1099511627776, 1099511627776,", "is too large");
    row("extent", "\"shape\": [1,", "\"shape\": [-1,", "an extent of a shape is not a size");
    row("type", "\"type\": \"f32\"", "\"type\": \"f31\"", "there is no type 'f31'");
    row("symbol", "\"kernel\": \"", "\"kernel\": \"no_", "has no function 'no_");
    row("kind", "\"steps\": [", "\"steps\": 7, \"was\": [", "'steps' has the wrong type");
    row("gone", "\"results\": ", "\"result\": ", "'results' is missing");
    row("null", "\"name\": \"parameters.bin\"", "\"name\": null", "'name' has the wrong type");
  }
  void a_description_that_would_reach_outside_is_refused() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, says);
    std::string text = read_file(at("copy") / "model.json").value();
    replace(text, from.toStdString(), to.toStdString());
    // With a checksum that is right: what a person would do who changes it on purpose.
    std::string const key = "\"checksum_of_the_above\":";
    size_t end = text.rfind(key);
    std::string head = text.substr(0, end);
    uint64_t sum = checksum_of({reinterpret_cast<std::byte const*>(head.data()), head.size()});
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum));
    overwrite(at("copy") / "model.json", head + key + " \"" + digits + "\"\n}\n");
    QString why = refusal(at("copy"));
    QVERIFY2(why.contains(says), qPrintable(why));
  }

private:
  fs::path at(std::string const& name) const {
    return fs::path(folder_.path().toStdString()) / name;
  }
  /// Why it cannot be loaded; empty when it can.
  QString refusal(fs::path const& folder) {
    TwModel* model = tw_load(folder.c_str(), 1);
    QString why = model ? "" : tw_error();
    tw_free(model);
    return why;
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(RuntimeTest)
#include "runtime_test.moc"
