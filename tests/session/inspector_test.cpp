// What is said of one operator, kernel or tensor: against values computed by hand.
#include "engine/session/inspector.h"

#include <QtTest>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "engine/graph/operator.h"
#include "engine/session/model/inspection.h"
#include "engine/session/views/attribute_words.h"
#include "engine/session/views/value_statistics.h"
#include "tests/support/figures.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

constexpr uint64_t kSeed = 20261126;

template <typename T>
NDArray array_of(DType type, std::vector<T> const& elements) {
  NDArray array = NDArray::create(type, {int64_t(elements.size())}).value();
  std::ranges::copy(elements, array.as<T>().begin());
  return array;
}

template <typename Ask>
auto wait_for(Ask ask) -> decltype(ask()) {
  for (int i = 0; i < 20'000; ++i) {
    if (auto view = ask()) return view;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return nullptr;
}

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

/// y = conv(x, w), two steps to each side, and z = relu(y): by hand, as an importer has it.
LoadedModel small_model() {
  LoadedModel model;
  model.name = "small";
  Graph& graph = model.before;
  graph.name = "small";
  ValueId x = graph.add_value({"x", tensor_type(DType::kF32, {1, 4, 8, 8}), {}});
  Value weights{"w", tensor_type(DType::kF32, {6, 4, 1, 1}), {}};
  weights.constant = NDArray::create(DType::kF32, {6, 4, 1, 1}).value();
  std::ranges::fill(weights.constant.as<float>(), 0.25f);
  weights.constant.set_value(5, 0);
  weights.constant.set_value(23, -1);
  ValueId w = graph.add_value(weights);
  ValueId y = graph.add_value({"y", tensor_type(DType::kF32, {1, 6, 4, 4}), {}});
  ValueId z = graph.add_value({"z", tensor_type(DType::kF32, {1, 6, 4, 4}), {}});
  Node conv;
  conv.name = "first";
  conv.op = find_operator("conv");
  conv.type = "conv";
  conv.attributes = {{"kernel", std::vector<int64_t>{1, 1}},
                     {"strides", std::vector<int64_t>{2, 2}},
                     {"group", int64_t(1)}};
  conv.inputs = {x, w};
  conv.outputs = {y};
  conv.origins = {"first"};
  Node relu;
  relu.name = "second";
  relu.op = find_operator("relu");
  relu.type = "relu";
  relu.inputs = {y};
  relu.outputs = {z};
  relu.origins = {"second"};
  graph.nodes = {conv, relu};
  graph.inputs = {x};
  graph.outputs = {z};
  return model;
}

InspectedAttribute attribute(InspectorView const& view, std::string const& name) {
  auto found = std::ranges::find(view.attributes, name, &InspectedAttribute::name);
  return found == view.attributes.end() ? InspectedAttribute{} : *found;
}

}  // namespace

class InspectorTest : public QObject {
  Q_OBJECT
private slots:
  void values_are_counted_and_what_is_no_number_apart() {
    float const nan = std::numeric_limits<float>::quiet_NaN(),
                endless = std::numeric_limits<float>::infinity();
    ValueStatistics values = statistics_of(
        array_of<float>(DType::kF32, {0, -2, 2, nan, 4, 0, endless, -endless, -endless, 1}));
    QCOMPARE(values.count, int64_t(10));
    QCOMPARE(values.nan, int64_t(1));
    QCOMPARE(values.above, int64_t(1));
    QCOMPARE(values.below, int64_t(2));
    QCOMPARE(values.finite(), int64_t(6));
    QCOMPARE(values.zeros, int64_t(2));
    QCOMPARE(values.least, -2.0);
    QCOMPARE(values.greatest, 4.0);
    QCOMPARE(values.mean, 5.0 / 6);
    // 0, -2, 2, 4, 0, 1: squares 25 in all, less six times the square of the mean.
    QVERIFY(std::abs(values.deviation - std::sqrt(25.0 / 6 - 25.0 / 36)) < 1e-12);
    QCOMPARE(values.bins.size(), size_t(32));
    QCOMPARE(values.step, 6.0 / 32);
    QCOMPARE(values.bins[0], int64_t(1));                        // -2
    QCOMPARE(values.bins[size_t(2 / values.step)], int64_t(2));  // the zeros
    QCOMPARE(values.bins[31], int64_t(1));                       // 4, which belongs to the last one
    int64_t all = 0;
    for (int64_t bin : values.bins) all += bin;
    QCOMPARE(all, values.finite());
  }

  void whole_numbers_have_bins_of_whole_numbers() {
    ValueStatistics few = statistics_of(array_of<int8_t>(DType::kI8, {-3, -3, 0, 4, 4, 4}));
    QVERIFY(few.whole);
    QCOMPARE(few.bins, (std::vector<int64_t>{2, 0, 0, 1, 0, 0, 0, 3}));
    QCOMPARE(QString::fromStdString(few.words_of(7)), QString("4"));
    std::vector<uint8_t> all(256);
    for (int i = 0; i < 256; ++i) all[size_t(i)] = uint8_t(i);
    ValueStatistics many = statistics_of(array_of<uint8_t>(DType::kU8, all));
    QCOMPARE(many.bins, std::vector<int64_t>(32, 8));
    QCOMPARE(QString::fromStdString(many.words_of(31)), QString("248 to 255"));
    ValueStatistics truth = statistics_of(array_of<uint8_t>(DType::kBool, {1, 1, 1}));
    QCOMPARE(truth.bins, (std::vector<int64_t>{0, 3}));
    QCOMPARE(truth.zeros, int64_t(0));
    ValueStatistics far = statistics_of(array_of<int64_t>(
        DType::kI64, {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}));
    QCOMPARE(far.bins.front() + far.bins.back(), int64_t(2));
  }

  void nothing_is_lost_at_the_ends_of_a_type() {
    double const most = std::numeric_limits<double>::max();
    ValueStatistics wide = statistics_of(array_of<double>(DType::kF64, {-most, 0, most}));
    QCOMPARE(wide.bins.front(), int64_t(1));
    QCOMPARE(wide.bins.back(), int64_t(1));
    ValueStatistics one = statistics_of(array_of<float>(DType::kF32, {3, 3, 3}));
    QCOMPARE(one.bins, std::vector<int64_t>{3});
    QCOMPARE(one.deviation, 0.0);
    ValueStatistics none = statistics_of(array_of<float>(DType::kF32, {std::nanf("")}));
    QVERIFY(none.bins.empty());
    QCOMPARE(none.nan, int64_t(1));
    // One and minus two as halves and as bfloats.
    ValueStatistics halves = statistics_of(array_of<uint16_t>(DType::kF16, {0x3C00, 0xC000}));
    QCOMPARE(halves.least, -2.0);
    QCOMPARE(halves.greatest, 1.0);
    ValueStatistics bfloats = statistics_of(array_of<uint16_t>(DType::kBF16, {0x3F80, 0xC000}));
    QCOMPARE(bfloats.least, -2.0);
    QCOMPARE(bfloats.greatest, 1.0);
  }

  void numbers_are_said_as_people_read_them() {
    QCOMPARE(QString::fromStdString(value_text(16000)), QString("16000"));
    QCOMPARE(QString::fromStdString(value_text(-0.0)), QString("0"));
    QCOMPARE(QString::fromStdString(value_text(-0.0117149)), QString("-0.01171"));
    QCOMPARE(QString::fromStdString(operations_text(0, false)), QString("0 FLOP"));
    QCOMPARE(QString::fromStdString(operations_text(226'000'000, true)), QString("226 MOP"));
  }

  void counts_that_differ_much_are_shown_by_their_logarithm() {
    std::vector<int8_t> bell;
    for (int i = 0; i < 1000; ++i) bell.push_back(0);
    for (int8_t i = 1; i < 20; ++i) bell.push_back(i);
    QVERIFY(statistics_of(array_of<int8_t>(DType::kI8, bell)).wants_logarithm());
    QVERIFY(!statistics_of(array_of<int8_t>(DType::kI8, {0, 1, 1, 2})).wants_logarithm());
  }

  void an_operator_says_its_attributes_and_tensors() {
    LoadedModel model = small_model();
    auto view = inspector_view(model, {InspectedKind::kImported, "first"});
    QVERIFY2(view, sentence(view).c_str());
    QCOMPARE(QString::fromStdString(view->what), QString("conv2d 1x1 /2"));
    QVERIFY(view->pattern == PatternClass::kComplex);
    QCOMPARE(QString::fromStdString(attribute(*view, "strides").value), QString("2, 2"));
    QVERIFY(!attribute(*view, "strides").usual);
    QVERIFY(!attribute(*view, "strides").doc.empty());
    QVERIFY(attribute(*view, "group").usual);
    // What the model does not say.
    QCOMPARE(QString::fromStdString(attribute(*view, "dilations").value), QString("1, 1"));
    QVERIFY(attribute(*view, "dilations").usual);
    QCOMPARE(QString::fromStdString(attribute(*view, "pads").value), QString("0, 0, 0, 0"));
    QCOMPARE(view->inputs.size(), size_t(2));
    QCOMPARE(QString::fromStdString(view->inputs[1].operand), QString("W"));
    QVERIFY(view->inputs[1].weight && !view->inputs[0].weight);
    QCOMPARE(QString::fromStdString(view->inputs[1].shape), QString("6x4x1x1"));
    QCOMPARE(view->inputs[1].bytes, int64_t(96));
    QCOMPARE(QString::fromStdString(view->values_of), QString("w"));
    QVERIFY(view->compute.starts_with("tilewright te 1\n"));
    QVERIFY(te::parse_kernel(view->compute));
  }

  void the_cost_of_an_operator_is_its_products_and_its_bytes() {
    LoadedModel model = small_model();
    auto view = inspector_view(model, {InspectedKind::kImported, "#0"});
    QVERIFY2(view && view->cost, sentence(view).c_str());
    // 6 channels of 4 x 4 pixels, 4 products and sums each.
    QCOMPARE(view->cost->operations, int64_t(6 * 4 * 4 * 4 * 2));
    QCOMPARE(view->cost->read, int64_t(4 * (4 * 8 * 8 + 6 * 4)));
    QCOMPARE(view->cost->written, int64_t(4 * 6 * 4 * 4));
    QCOMPARE(*view->cost->intensity(), 768.0 / (1120 + 384));
    auto relu = inspector_view(model, {InspectedKind::kImported, "second"});
    QVERIFY(relu && relu->cost);
    QCOMPARE(relu->cost->operations, int64_t(96));
    QVERIFY(relu->pattern == PatternClass::kInjective);
  }

  void a_tensor_says_who_makes_it_and_who_reads_it() {
    LoadedModel model = small_model();
    auto view = inspector_view(model, {InspectedKind::kTensor, "y"});
    QVERIFY2(view, sentence(view).c_str());
    QCOMPARE(view->made_by.size(), size_t(1));
    QCOMPARE(QString::fromStdString(view->made_by[0].what.name), QString("first"));
    QCOMPARE(view->read_by.size(), size_t(1));
    QCOMPARE(QString::fromStdString(view->read_by[0].what.name), QString("second"));
    QCOMPARE(view->elements, int64_t(96));
    QVERIFY(view->values_of.empty());
    auto values = tensor_statistics(model, "w");
    QVERIFY2(values, sentence(values).c_str());
    QCOMPARE(values->count, int64_t(24));
    QCOMPARE(values->zeros, int64_t(1));
    QCOMPARE(values->least, -1.0);
    QCOMPARE(values->mean, (22 * 0.25 - 1) / 24);
    QCOMPARE(tensor_statistics(model, "y").error().code, std::string("not_constant"));
  }

  void the_padding_of_a_layout_is_no_value() {
    LoadedModel model = small_model();
    Value& weights = model.before.values[1];
    Layout blocks = Layout::in_blocks(4, 0, 16);
    weights.constant = to_layout(weights.constant, blocks).value();
    weights.layout = blocks;
    auto values = tensor_statistics(model, "w");
    QVERIFY2(values, sentence(values).c_str());
    QCOMPARE(values->count, int64_t(24));  // of 64 that are stored
    QCOMPARE(values->zeros, int64_t(1));
    auto view = inspector_view(model, {InspectedKind::kTensor, "w"});
    QCOMPARE(view->tensor->bytes, int64_t(64 * 4));
    QCOMPARE(QString::fromStdString(view->tensor->layout), QString("ABCD16a"));
  }

  void what_is_not_there_is_refused() {
    LoadedModel model = small_model();
    for (auto [kind, code] : {std::pair{InspectedKind::kImported, "unknown_node"},
                              {InspectedKind::kOperator, "unknown_node"},
                              {InspectedKind::kKernel, "unknown_kernel"},
                              {InspectedKind::kTensor, "unknown_tensor"}}) {
      QCOMPARE(inspector_view(model, {kind, "nobody"}).error().code, std::string(code));
      QCOMPARE(check_inspected(model, {kind, "nobody"}).error().code, std::string(code));
    }
    QVERIFY(!check_inspected(model, {InspectedKind::kImported, "#2"}));
    QVERIFY(check_inspected(model, {InspectedKind::kImported, "#1"}));
  }

  /// The table of what is taken where nothing is said, against the operators themselves.
  void usual_values_change_nothing() {
    int tried = 0;
    for (Operator const* op : operator_table()) {
      Rng rng(kSeed);
      for (int i = 0; i < 60 && op->random_case && op->reference; ++i) {
        RandomCase random = op->random_case(rng);
        if (random.inputs.empty() || random.inputs[0].empty()) continue;
        size_t rank = random.inputs[0].shape().size();
        for (AttributeDoc const& known : op->attributes) {
          auto usual = usual_value(op->name, known.name, rank > 2 ? rank - 2 : 0);
          bool said = has(random.attributes, known.name);
          if (!usual || (said && to_text(Attributes{{"a", *usual}}) !=
                                     to_text(Attributes{{"a", random.attributes[known.name]}})))
            continue;
          if (!said && known.name == "pads" && has(random.attributes, "auto_pad")) continue;
          Attributes other = random.attributes;
          if (said)
            other.erase(known.name);
          else
            other[known.name] = *usual;
          auto one = op->reference(random.attributes, random.inputs);
          auto two = op->reference(other, random.inputs);
          QVERIFY2(bool(one) == bool(two), (op->name + "." + known.name).c_str());
          if (!one) continue;
          ++tried;
          for (size_t k = 0; k < one->size(); ++k)
            QVERIFY2((*one)[k].hash() == (*two)[k].hash(), (op->name + "." + known.name).c_str());
        }
      }
    }
    QVERIFY2(tried > 1000, std::to_string(tried).c_str());
  }

  void a_session_tells_of_a_real_model_in_time() {
    auto session = testing::make_session(false);
    QVERIFY(session->execute(OpenSample{"resnet18"}));
    QVERIFY(session->wait_idle(120));
    Snapshot now = session->snapshot();
    int largest = -1;
    std::string weight;
    int64_t most = 0;
    std::vector<double> times;
    for (GraphNodeView const& node : now.graph->nodes) {
      auto begin = std::chrono::steady_clock::now();
      auto view = wait_for([&] {
        return inspect(*session, {InspectedKind::kOperator, node.name});
      });
      times.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
              .count());
      QVERIFY(view);
      QVERIFY2(view->failure.empty(), view->failure.c_str());
      for (InspectedTensor const& input : view->inputs)
        if (input.weight && input.bytes > most) most = input.bytes, weight = input.name;
      if (view->kernel >= 0) largest = view->kernel;
    }
    std::ranges::sort(times);
    qInfo("%d operators: median %.1f ms, slowest %.1f ms", int(times.size()),
          times[times.size() / 2], times.back());
    QVERIFY(times[times.size() / 2] < 50);
    QVERIFY(largest >= 0);
    auto begin = std::chrono::steady_clock::now();
    auto values = wait_for([&] { return value_statistics(*session, weight); });
    double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    QVERIFY(values && values->failure.empty());
    qInfo("the values of %s, %d of them: %.1f ms", weight.c_str(), int(values->count), ms);
    QVERIFY(values->count >= 512 * 512 * 9);
    QVERIFY(testing::is_bearable("the values of a weight", ms, 200));
    // Memoized: the same answer at once.
    QCOMPARE(value_statistics(*session, weight), values);
    auto kernel = wait_for([&] {
      return inspect(*session, {InspectedKind::kKernel, now.kernels->rows[0].name});
    });
    QCOMPARE(kernel->cost->operations, now.kernels->rows[0].flops);
    QCOMPARE(kernel->cost->read + kernel->cost->written, now.kernels->rows[0].bytes);
    QVERIFY(kernel->operators.size() > 1);
    QCOMPARE(can_inspect(*session, {InspectedKind::kKernel, "nobody"}).error().code,
             std::string("unknown_kernel"));
  }

  void without_a_model_nothing_is_inspected() {
    auto session = testing::make_session(false);
    QCOMPARE(can_inspect(*session, {InspectedKind::kKernel, "x"}).error().code,
             std::string("no_model"));
    QVERIFY(!inspect(*session, {InspectedKind::kKernel, "x"}));
  }
};

QTEST_GUILESS_MAIN(InspectorTest)
#include "inspector_test.moc"
