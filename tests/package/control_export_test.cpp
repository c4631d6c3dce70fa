// Exported models that own graphs: branches, loops and scans run alone, as in the reference; what
// is corrupt or cannot be exported is a sentence.
#include <QtTest>

#include <cstring>
#include <fstream>

#include "app/shared/environment.h"
#include "engine/device/local_device.h"
#include "engine/graph/reference.h"
#include "engine/importers/importer.h"
#include "engine/runtime/package/checksum.h"
#include "engine/runtime/package/description.h"
#include "engine/runtime/tilewright.h"
#include "engine/samples/onnx_writer.h"
#include "engine/session/model/loaded_model.h"
#include "engine/support/files.h"
#include "tests/package/control_models.h"
#include "tests/package/exports.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::session;
using namespace tw::testing;
namespace fs = std::filesystem;

namespace {

using Outputs = std::vector<std::vector<double>>;

/// Loads the folder once, runs it on any inputs.
class Alone {
public:
  explicit Alone(fs::path const& folder) : model_(tw_load(folder.c_str(), 1)) {
    if (!model_) qWarning("%s", tw_error());
  }
  ~Alone() { tw_free(model_); }
  Alone(Alone const&) = delete;

  bool loaded() const { return model_ != nullptr; }
  /// Empty when it failed: `tw_error` says why.
  Outputs run(std::vector<NDArray> const& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i)
      std::memcpy(tw_input_data(model_, int(i)), inputs[i].data(), size_t(inputs[i].byte_size()));
    if (tw_run(model_) != 0) return {};
    Outputs outputs;
    for (int i = 0; i < tw_output_count(model_); ++i) {
      TwTensor const* info = tw_output(model_, i);
      int64_t count = 1;
      for (int a = 0; a < info->rank; ++a) count *= info->shape[a];
      outputs.emplace_back();
      for (int64_t e = 0; e < count; ++e)
        outputs.back().push_back(tw_value(tw_output_data(model_, i), info->type, e));
    }
    return outputs;
  }

private:
  TwModel* model_;
};

}  // namespace

class ControlExportTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    environment_ = make_environment().value();
    device_ = std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
  }

  void branches_run_alone_whichever_is_chosen() {
    check(choice(), {{floats({0, 1, 2, -3}), truth(true)}, {floats({0, 1, 2, -3}), truth(false)}});
    check(nested(), {{floats({0, 1, 2, -3}), truth(true), truth(true)},
                     {floats({0, 1, 2, -3}), truth(true), truth(false)},
                     {floats({0, 1, 2, -3}), truth(false), truth(true)}});
  }

  void loops_carry_states_and_gather_rows() {
    check(loop(true), {{floats({0, 1, -1, 0.5})}, {floats({2, 1, 1, 1})}});
    check(loop(false), {{floats({0, 1, -1, 0.5}), count(0)},
                        {floats({0, 1, -1, 0.5}), count(1)},
                        {floats({0, 1, -1, 0.5}), count(4)},
                        {floats({0, 1, -1, 0.5}), count(-2)}});
    check(condition_loop(), {{floats({1, 1, 1, 1}), truth(true)},
                             {floats({1, 1, 1, 1}), truth(false)},
                             {floats({30, 30, 30, 30}), truth(true)}});
  }

  void scans_walk_any_axis_in_both_directions() {
    NDArray x = numbers(DType::kF32, {4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    check(scan(), {{x, floats({0, 0, 0, 0})}, {x, floats({1, -1, 2, -2})}});
  }

  void graphs_inside_of_graphs_share_the_memory() {
    std::vector<std::vector<NDArray>> runs;
    for (bool c : {true, false})
      for (bool d : {true, false}) runs.push_back({floats({0, 1, 2, -3}), truth(c), truth(d)});
    check(loop_in_a_branch(), runs);
  }

  void a_loop_without_an_end_is_ended() {
    QVERIFY(exported(condition_loop()));
    Alone alone(at("out"));
    QVERIFY(alone.loaded() && alone.run({floats({0, 0, 0, 0}), truth(true)}).empty());
    QCOMPARE(QString(tw_error()),
             QString("the loop that computes 'y' has not ended after 1048576 iterations"));
    QVERIFY(!alone.run({floats({1, 1, 1, 1}), truth(true)}).empty());
  }

  void a_branch_that_nothing_can_run_is_told_when_it_is_chosen() {
    ImportedModel model = if_model({"s = Add x x", "y = If c"}, {"y"}, body({"m = Mul s s"}, {"m"}),
                                   body({"e = Mystery s"}, {"e"}), 1);
    Model opened = open(model);
    std::vector<NDArray> inputs{floats({0, 1, 2, -3}), truth(true)};
    store(*opened, inputs);
    auto view = exported(opened);
    QVERIFY2(view, qPrintable(sentence(view)));
    Alone alone(at("out"));
    QVERIFY(alone.loaded());
    QCOMPARE(alone.run(inputs), (Outputs{{0, 4, 16, 36}}));
    QVERIFY(alone.run({inputs[0], truth(false)}).empty());
    QCOMPARE(QString(tw_error()), QString("the branch that computes 'y' for these inputs cannot be "
                                          "run: the operator Mystery is not supported"));
  }

  void what_cannot_be_exported_is_listed_with_its_reasons_data() {
    QTest::addColumn<QString>("which");
    QTest::addColumn<QString>("says");
    QTest::newRow("shapes") << "shapes"
                            << "y (if): the size of 'y' is known only when the model runs";
    QTest::newRow("grows") << "grows"
                           << "y (loop): the size of 'y' is known only when the model runs";
    QTest::newRow("data") << "data"
                          << "b (slice): the start of the slice is computed while the model runs";
    QTest::newRow("opaque") << "opaque"
                            << "y (if): the operator Mystery is not supported";
  }
  void what_cannot_be_exported_is_listed_with_its_reasons() {
    QFETCH(QString, which);
    QFETCH(QString, says);
    ImportedModel model =
        with_inputs(model_of({"b = Slice x from to", "y = Neg b"}, {4}),
                    {declared("from", DType::kI64, {1}), declared("to", DType::kI64, {1})});
    if (which == "shapes")
      model = if_model({"y = If c"}, {"y"}, body({"m = Neg x"}, {"m"}),
                       body({"m = Concat x x"}, {"m"}), 0);
    if (which == "opaque")
      model = if_model({"y = If c"}, {"y"}, body({"m = Mystery x"}, {"m"}),
                       body({"m = Mystery x"}, {"m"}), 0);
    if (which == "grows") {
      model = model_of({"y = Loop most go x"}, {4});
      model.graph.nodes[0].attributes["body"] =
          body({"a2 = Concat a a", "next = Identity g"}, {"next", "a2"}, loop_inputs({"a"}));
      model.graph.initializers = {{"most", count(2)}, {"go", truth(true)}};
    }
    Model opened = open(model);
    auto view = exported(opened);
    QVERIFY(!view && view.error().code == "not_exportable");
    QVERIFY2(
        words(view.error()).contains(says) && words(view.error()).contains("--shape NAME=SHAPE"),
        qPrintable(words(view.error())));
    QVERIFY(!fs::exists(at("out")));
  }

  void a_description_survives_its_text() {
    for (ImportedModel const& model : {choice(), loop(true), scan(), loop_in_a_branch()}) {
      auto view = exported(model);
      QVERIFY2(view, qPrintable(sentence(view)));
      std::string text = read_file(at("out") / "model.json").value();
      QVERIFY(text.starts_with("{\n\"tilewright_package\": 2,\n"));
      auto parsed = package::parse_description(text);
      QVERIFY2(parsed, qPrintable(sentence(parsed)));
      QCOMPARE(package::to_text(*parsed), text);
      QVERIFY(package::parse_description(package::to_text(*parsed)).value() == *parsed);
    }
  }

  void corrupt_records_are_refused_with_a_sentence_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("says");
    auto row = [](char const* name, char const* model, char const* from, char const* to,
                  char const* says) { QTest::newRow(name) << model << from << to << says; };
    row("unknown", "if", "\"control\": \"if\"", "\"control\": \"while\"",
        "there is no step 'while'");
    row("no condition", "if", "\"condition\": [\"input\", 1, 1]",
        "\"condition\": [\"nothing\", 0, 0]", "an If has no condition");
    row("wide condition", "if", "\"condition\": [\"input\", 1, 1]",
        "\"condition\": [\"input\", 0, 16]", "is not a single number");
    row("condition outside", "if", "\"condition\": [\"input\", 1, 1]",
        "\"condition\": [\"input\", 9, 1]", "is outside its region");
    row("no bodies", "if", "\"bodies\": [", "\"bodies\": [], \"was\": [",
        "an If must have two bodies, and a loop one");
    row("copies", "if", "\"copies\": [[", "\"copies\": [[[\"input\", 0, 16], [\"arena\", 0, 8]], [",
        "cannot be copied to");
    row("copy over an input", "if", "\"copies\": [[",
        "\"copies\": [[[\"input\", 0, 16], [\"input\", 0, 16]], [",
        "nothing is written to the buffer");
    row("copy to nothing", "if", "\"copies\": [[",
        "\"copies\": [[[\"input\", 0, 16], [\"nothing\", 0, 0]], [",
        "nothing is written to the buffer");
    row("half a copy", "if", "\"copies\": [[", "\"copies\": [[[\"input\", 0, 16]], [",
        "a copy must name two buffers");
    row("refuses with steps", "if", "\"refuses\": \"\"", "\"refuses\": \"no\"",
        "a body that cannot be run has steps");
    row("inner symbol", "if", "\"kernel\": \"then_", "\"kernel\": \"no_", "has no function 'no_");
    row("rows", "loop", "\"outer\": 1", "\"outer\": 3", "is not a row of");
    row("outer", "loop", "\"outer\": 1", "\"outer\": 0", "is not a row of");
    row("backward", "loop", "\"backward\": 0", "\"backward\": 7", "'backward' is 7");
    row("most", "loop", "\"most\": [\"parameters\", ",
        "\"most\": [\"parameters\", 1000000, 8], \"was\": [0, ", "is outside its region");
    row("number", "loop", "\"number\": [\"arena\", ",
        "\"number\": [\"input\", 0, 8], \"was\": [0, ", "nothing is written to the buffer");
    row("no loop", "loop", "\"loop\": {", "\"loop\": 7, \"was\": {", "'loop' has the wrong type");
  }
  void corrupt_records_are_refused_with_a_sentence() {
    QFETCH(QString, model);
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, says);
    QVERIFY(exported(model == "if" ? choice() : loop(true)));
    std::string text = read_file(at("out") / "model.json").value();
    size_t place = text.find(from.toStdString());
    QVERIFY2(place != std::string::npos, text.c_str());
    text.replace(place, size_t(from.size()), to.toStdString());
    std::ofstream(at("out") / "model.json", std::ios::trunc) << with_checksum(text);
    TwModel* loaded = tw_load(at("out").c_str(), 1);
    QString why = loaded ? "" : tw_error();
    tw_free(loaded);
    QVERIFY2(why.contains(says), qPrintable(why));
  }

  void rows_that_a_loop_does_not_fill_or_has_too_many_of_are_said() {
    QVERIFY(exported(loop(true)));
    auto whole = package::parse_description(read_file(at("out") / "model.json").value()).value();
    auto loop_step = std::ranges::find(whole.steps, package::StepKind::kLoop, &package::Step::kind);
    QVERIFY(loop_step != whole.steps.end());
    auto run = [&] {
      std::ofstream(at("out") / "model.json", std::ios::trunc) << package::to_text(whole);
      Alone alone(at("out"));
      return alone.loaded() && alone.run({floats({0, 1, 2, 3})}).empty() ? QString(tw_error()) : "";
    };
    loop_step->loop.most = {};
    QVERIFY2(run().endsWith("has an iteration 3, but only 3 rows"), qPrintable(run()));
    loop_step->condition = {package::Region::kInput, 0, 1};  // the first byte of 0.0f: false
    QVERIFY2(run().endsWith("ends after 0 of 3 iterations"), qPrintable(run()));
  }

  void a_voice_detector_with_branches_gives_its_stored_outputs_data() {
    QTest::addColumn<QString>("set");
    QTest::addColumn<int>("samples");
    QTest::newRow("16 kHz") << "test_data_set_0" << 576;
    QTest::newRow("8 kHz") << "test_data_set_1" << 288;
  }
  void a_voice_detector_with_branches_gives_its_stored_outputs() {
    QFETCH(QString, set);
    QFETCH(int, samples);
    fs::path folder = fs::path(testing::shared_models()) / "real" / "silero_vad_v5";
    if (!fs::exists(folder / "model.onnx"))
      QSKIP(("there is no " + folder.string() + "/model.onnx (set TW_SHARED_MODELS)").c_str());
    LoadOptions options{{{"input", {1, samples}}, {"state", {2, 1, 128}}}, {}};
    auto opened = load_model((folder / "model.onnx").string(), options, *environment_.backend);
    QVERIFY2(opened, qPrintable(sentence(opened)));
    auto view = exported(*opened);
    QVERIFY2(view && view->tested, qPrintable(sentence(view)));
    QCOMPARE(view->compared_with, std::string("the outputs stored beside the model"));
    QVERIFY(view->largest_difference <= 1e-4 * view->largest_value);
    Alone alone(at("out"));
    QVERIFY(alone.loaded());
    std::vector<NDArray> inputs;
    for (char const* name : {"input_0.pb", "input_1.pb", "input_2.pb"})
      inputs.push_back(open_tensor(folder / set.toStdString() / name).value());
    Outputs outputs = alone.run(inputs);
    QCOMPARE(outputs.size(), size_t(2));
    for (size_t i = 0; i < outputs.size(); ++i) {
      NDArray stored =
          open_tensor(folder / set.toStdString() / ("output_" + std::to_string(i) + ".pb")).value();
      QCOMPARE(int64_t(outputs[i].size()), stored.size());
      for (size_t e = 0; e < outputs[i].size(); ++e)
        QVERIFY(std::abs(outputs[i][e] - stored.value_at(int64_t(e))) < 1e-4);
    }
  }

private:
  fs::path at(std::string const& name) const {
    return fs::path(folder_.path().toStdString()) / name;
  }
  Model open(ImportedModel const& foreign) {
    fs::remove_all(at("model"));
    fs::create_directories(at("model"));
    std::ofstream(at("model/m.onnx"), std::ios::binary) << write_onnx(foreign).value();
    return load_model(at("model/m.onnx").string(), {}, *environment_.backend).value();
  }
  Result<ExportView> exported(Model const& model) {
    fs::remove_all(at("out"));
    ExportRequest request{.folder = at("out"), .threads = 1};
    return export_to_folder(*model, request, environment_.exports, *environment_.backend, *device_);
  }
  Result<ExportView> exported(ImportedModel const& foreign) { return exported(open(foreign)); }

  /// Raw tensors beside the model, for its self-test: random ones could choose what cannot run.
  void store(LoadedModel const& model, std::vector<NDArray> const& inputs) {
    std::vector<NDArray> outputs = reference_run(model.before, inputs).value();
    fs::create_directories(at("model/test_data_set_0"));
    auto write = [&](char const* kind, std::vector<NDArray> const& arrays) {
      for (size_t i = 0; i < arrays.size(); ++i)
        std::ofstream(at("model/test_data_set_0") / (kind + std::to_string(i) + ".pb"),
                      std::ios::binary)
            << write_onnx_tensor(arrays[i], "t").value();
    };
    write("input_", inputs);
    write("output_", outputs);
  }

  /// Exports, runs alone on each of the inputs, compares with the reference.
  void check(ImportedModel const& foreign, std::vector<std::vector<NDArray>> const& runs) {
    Model model = open(foreign);
    auto view = exported(model);
    QVERIFY2(view && view->tested, qPrintable(sentence(view)));
    Alone alone(at("out"));
    QVERIFY(alone.loaded());
    for (int again = 0; again < 2; ++again)
      for (std::vector<NDArray> const& inputs : runs) {
        auto expected = reference_run(model->before, inputs);
        QVERIFY2(expected, qPrintable(sentence(expected)));
        Outputs outputs = alone.run(inputs);
        QVERIFY2(outputs.size() == expected->size(), tw_error());
        for (size_t i = 0; i < outputs.size(); ++i) {
          std::vector<double> list = elements((*expected)[i]);
          QCOMPARE(outputs[i].size(), list.size());
          for (size_t e = 0; e < list.size(); ++e)
            QVERIFY2(std::abs(outputs[i][e] - list[e]) <= 1e-5 * (1 + std::abs(list[e])),
                     qPrintable(QString("output %1, element %2: %3, not %4")
                                    .arg(i)
                                    .arg(e)
                                    .arg(outputs[i][e])
                                    .arg(list[e])));
        }
      }
  }

  static std::string with_checksum(std::string const& text) {
    std::string const key = "\"checksum_of_the_above\":";
    std::string head = text.substr(0, text.rfind(key));
    uint64_t sum = checksum_of({reinterpret_cast<std::byte const*>(head.data()), head.size()});
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum));
    return head + key + " \"" + digits + "\"\n}\n";
  }

  QTemporaryDir folder_;
  Environment environment_;
  std::unique_ptr<Device> device_;
};

QTEST_GUILESS_MAIN(ControlExportTest)
#include "control_export_test.moc"
