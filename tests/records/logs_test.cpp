// Trials as text: ours come back whole, those of other tuners come in, and a damaged line costs
// itself alone.
#include "engine/records/text_forms.h"

#include <QtTest>

#include "engine/records/log_reader.h"
#include "engine/support/files.h"
#include "tests/records/some_trials.h"
#include "tests/support/mutate.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::records;
using tw::testing::some_trial;
using tw::testing::some_trials;

namespace {

std::string corpus(std::string const& name) {
  auto text = read_file(std::string(testing::source()) + "/tests/fuzz/corpus/records/" + name);
  if (!text) qFatal("%s", to_sentence(text.error()).c_str());
  return *text;
}

}  // namespace

class LogsTest : public QObject {
  Q_OBJECT
private slots:
  void our_lines_come_back_whole() {
    std::vector<Trial> trials = some_trials(0, 200);
    trials[1].trace = std::string("tab\t, null \0, quote \", line\n", 28);
    trials[0].samples = {0.1, 5e-324, 1.7976931348623157e308};
    trials[2].origin = Origin::kImported;
    trials[3].seed = ~0ull;
    std::string text;
    for (Trial const& trial : trials) {
      std::string line = to_json_line(trial);
      QVERIFY(line.find('\n') == line.npos);
      text += line + "\n";
    }
    ReadLog log = read_log(text);
    QCOMPARE(log.damaged_count, 0);
    QVERIFY(log.trials == trials);
  }

  void a_whole_store_goes_out_and_into_another_one() {
    QTemporaryDir folder;
    auto store = open_store(folder.filePath("one.db").toStdString()).value();
    QVERIFY(store->append(some_trials(0, 1500)));
    std::string text;
    QVERIFY(each_trial(*store, {}, [&](StoredTrial const& stored) -> Status {
      text += to_json_line(stored.trial) + "\n";
      return {};
    }));
    auto other = open_store(folder.filePath("two.db").toStdString()).value();
    QVERIFY(other->append(read_log(text).trials));
    Query all{.order = Order::kOldest, .limit = 2000};
    QVERIFY(store->find(all).value() == other->find(all).value());
  }

  void bytes_that_are_no_text_are_replaced() {
    Trial trial = some_trial(1);
    trial.failure = "odd \xff byte";
    ReadLog log = read_log(to_json_line(trial));
    QCOMPARE(log.trials.size(), size_t(1));
    QCOMPARE(log.trials[0].failure, std::string("odd \xef\xbf\xbd byte"));
  }

  void csv_has_a_cell_for_each_word_of_its_head() {
    Trial trial = some_trial(0);
    trial.trace = "split \"i\", 4\nnext";
    QCOMPARE(cells(to_csv_line(trial)).size(), cells(csv_head()).size());
    QStringList row = cells(to_csv_line(trial)), head = cells(csv_head());
    auto value = [&](char const* name) { return row[head.indexOf(name)].toStdString(); };
    QCOMPARE(value("trace"), trial.trace);
    QCOMPARE(value("task"), std::string("fedcba9876543210"));
    QCOMPARE(value("outcome"), std::string("ok"));
    QCOMPARE(std::stod(value("seconds")), *seconds_of(trial));
    QCOMPARE(QString::fromStdString(value("samples")).split(' ').size(), trial.samples.size());
    QCOMPARE(value("knobs"), std::string(R"({"factor":"39","number":"0"})"));
    QCOMPARE(value("origin"), std::string("ours"));
    row = cells(to_csv_line(some_trial(2)));
    QCOMPARE(value("seconds"), std::string());
  }

  void autotvm_comes_in() {
    ReadLog log = read_log(corpus("autotvm.log"));
    QCOMPARE(log.damaged_count, 0);
    QCOMPARE(log.trials.size(), size_t(3));
    Trial const& first = log.trials[0];
    QCOMPARE(first.task_name, std::string("conv2d_nchw.cuda"));
    QCOMPARE(first.target, std::string("vulkan"));
    QCOMPARE(first.machine, std::string("vulkan -model=v1000"));
    QVERIFY(first.outcome == Outcome::kOk && first.origin == Origin::kImported);
    QVERIFY((first.samples == std::vector{0.0012283149, 0.001328042, 0.0014977791000000001}));
    QCOMPARE(first.knobs.size(), size_t(4));
    QCOMPARE(first.knobs.at("tile_f"), std::string("[-1,8,4,1]"));
    QCOMPARE(first.knobs.at("auto_unroll_max_step"), std::string("1500"));
    QCOMPARE(first.unix_time, 1584599323.7743187);
    QCOMPARE(first.build, std::string("AutoTVM 0.7.dev0"));
    Trial const& second = log.trials[1];
    QVERIFY(second.outcome == Outcome::kTimeout && second.samples.empty());
    QCOMPARE(second.failure, std::string("compiling took too long"));
    QVERIFY(second.task != first.task);
    Trial const& oldest = log.trials[2];  // version 0.1
    QCOMPARE(oldest.task_name, std::string("topi_nn_conv2d"));
    QCOMPARE(oldest.knobs.at("tile_f"), std::string("[2,1,32,1]"));
    QVERIFY(oldest.samples == std::vector{0.000124});
  }

  void ansor_comes_in() {
    ReadLog log = read_log(corpus("ansor.log"));
    QCOMPARE(log.damaged_count, 0);
    QCOMPARE(log.trials.size(), size_t(2));
    Trial const& first = log.trials[0];
    QCOMPARE(first.task_name, std::string("_matmul"));
    QCOMPARE(first.program, std::string(R"(["_matmul", 512, 1024, 64, "float32"])"));
    QCOMPARE(first.target, std::string("llvm"));
    QCOMPARE(first.build, std::string("Ansor v0.6"));
    QVERIFY((first.samples == std::vector{0.00198047, 0.0019683, 0.00198756}));
    QVERIFY(first.trace.find("# [\"SP\",2,0,512,[1,64,8],1]\n") != std::string::npos);
    QCOMPARE(first.unix_time, 1714270206.0);
    QVERIFY(log.trials[1].outcome == Outcome::kCrash && log.trials[1].samples.empty());
  }

  void every_number_of_an_error_has_its_class() {
    std::vector<Outcome> const wanted = {
        Outcome::kOk,           Outcome::kInvalid, Outcome::kCompileError,
        Outcome::kCompileError, Outcome::kCrash,   Outcome::kWrong,
        Outcome::kTimeout,      Outcome::kTimeout, Outcome::kCrash};
    std::string const head = R"({"i": [["m", "llvm"], [[], []]], "r": [[0.5], )";
    for (size_t number = 0; number < wanted.size(); ++number) {
      ReadLog log = read_log(head + std::to_string(number) + ", 1, 2], \"v\": \"v0.6\"}");
      QCOMPARE(log.trials.size(), size_t(1));
      QVERIFY(log.trials[0].outcome == wanted[number]);
      QCOMPARE(log.trials[0].failure.empty(), number == 0);
    }
    QCOMPARE(read_log(head + "9, 1, 2]}").damaged[0].why, std::string("its error number is 9"));
  }

  void damaged_lines_are_left_out_and_told_by_their_number() {
    std::string good = to_json_line(some_trial(0));
    std::vector<std::pair<std::string, std::string>> const bad = {
        {good.substr(0, 100), "it is not a JSON object"},
        {"[1]", "it is not a JSON object"},
        {"{\"a\": 1}", "it is no trial of Tilewright, AutoTVM or Ansor"},
        {R"({"tilewright_trial": 2})", "it has version 2, and only version 1 can be read"},
        {R"({"tilewright_trial": 1})", "its \"task\" is not a hash in hexadecimal digits"},
        {R"({"tilewright_trial": 1, "task": "x"})",
         "its \"task\" is not a hash in hexadecimal digits"},
        {R"({"tilewright_trial": 1, "task": "1", "outcome": "fine"})",
         "its \"outcome\" is not a known word"},
        {R"({"tilewright_trial": 1, "task": "1", "outcome": "ok"})",
         "this is no trial: it is right and has no time"},
        {R"({"tilewright_trial": 1, "task": "1", "outcome": "ok", "samples": ["1"]})",
         "its \"samples\" is not a list of numbers"},
        {R"({"tilewright_trial": 1, "task": "1", "outcome": "crash", "knobs": {"a": 1}})",
         "its \"knobs\" is not an object of strings"},
        {R"({"tilewright_trial": 1, "task": "1", "outcome": "crash", "seed": -1})",
         "its \"seed\" is not an integer"},
        {R"({"input": ["llvm", "dense", []]})", "its input is not a target, a task and arguments"},
        {R"({"input": ["llvm", "dense", [], {}], "config": []})",
         "its configuration has no index and no list of knobs"},
        {R"({"input": ["llvm", "dense", [], {}], "config": {"index": 1, "entity": [["a"]]}})",
         "one of its knobs is not a name, a kind and a value"},
        {R"({"i": [["m"]]})", "its task is not a workload and a target"},
        {R"({"i": [["m", "llvm"], [[]]]})", "it has no list of steps"},
        {R"({"i": [["m", "llvm"], [[], [[]]]], "r": []})",
         "one of its steps is not a list that starts with a name"},
        {R"({"i": [["m", "llvm"], [[], []]]})", "it has no result"},
        {R"({"i": [["m", "llvm"], [[], []]], "r": [[0.0], 0, 1, 2]})",
         "this is no trial: 0 s is no time"},
        {R"({"input": )" + std::string(100'000, '['), "its lists are nested too deeply"}};
    std::string text = "# a comment\n\n";
    for (auto const& [line, why] : bad) text += line + "\n" + good + "\r\n";
    ReadLog log = read_log(text);
    QCOMPARE(log.trials.size(), bad.size());
    QCOMPARE(log.damaged_count, int64_t(bad.size()));
    for (size_t i = 0; i < bad.size(); ++i) {
      QCOMPARE(log.damaged[i].number, int64_t(3 + 2 * i));
      QCOMPARE(log.damaged[i].why, bad[i].second);
    }
  }

  void many_damaged_lines_are_counted_and_a_hundred_named() {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "?\n";
    ReadLog log = read_log(text);
    QCOMPARE(log.damaged_count, 1000);
    QCOMPARE(log.damaged.size(), size_t(100));
  }

  void no_text_is_too_odd_to_be_read() {
    std::string const text =
        corpus("autotvm.log") + corpus("ansor.log") + corpus("ours.jsonl") + corpus("damaged.txt");
    int64_t read = 0;
    for (uint64_t seed = 0; seed < 2000; ++seed) {
      Rng rng(seed);
      for (Trial const& trial : read_log(tw::testing::mutate(text, rng)).trials) {
        ++read;
        QVERIFY(check(trial));
      }
    }
    QVERIFY(read > 2000);
  }

private:
  /// Of one line of CSV, quotes taken away.
  static QStringList cells(std::string const& line) {
    QStringList found{""};
    bool quoted = false;
    QString text = QString::fromStdString(line).chopped(2);
    for (int i = 0; i < text.size(); ++i) {
      bool twice = quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"';
      if (twice) {
        found.back() += text[++i];
      } else if (text[i] == '"') {
        quoted = !quoted;
      } else if (!quoted && text[i] == ',') {
        found << "";
      } else {
        found.back() += text[i];
      }
    }
    return found;
  }
};

QTEST_GUILESS_MAIN(LogsTest)
#include "logs_test.moc"
