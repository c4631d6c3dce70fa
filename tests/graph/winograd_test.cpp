#include <QtTest>

#include "engine/graph/choices.h"
#include "engine/graph/passes.h"
#include "engine/graph/reference.h"
#include "engine/graph/shared/winograd.h"
#include "engine/ir/interpreter.h"
#include "tests/support/operator_kernels.h"

using namespace tw;
using namespace tw::testing;

namespace {

constexpr uint64_t kSeed = 20261130;

NDArray random_array(Rng& rng, Shape const& shape) { return ops::random_array(rng, shape); }

NDArray in_doubles(NDArray const& array) {
  NDArray result = NDArray::create(DType::kF64, array.shape()).value();
  for (int64_t i = 0; i < array.size(); ++i) result.set_value(i, array.value_at(i));
  return result;
}

/// The greatest error of the kernel in f32, as a part of the greatest element.
double error_of(RandomCase c, std::string const& algorithm) {
  Operator const& conv = *find_operator("conv");
  c.algorithm = algorithm;
  te::Kernel kernel = kernel_of(conv, c, inferred(conv, c).value()).value();
  NDArray actual = ir::interpret(te::to_program(kernel).value(), c.inputs).value()[0];
  std::vector<NDArray> exact;
  for (NDArray const& input : c.inputs) exact.push_back(in_doubles(input));
  Comparison comparison = compare(actual, conv.reference(c.attributes, exact).value()[0]);
  return comparison.max_abs_diff / comparison.max_abs_ref;
}

RandomCase convolution(Rng& rng, int64_t channels) {
  return {{{"kernel", std::vector<int64_t>{3, 3}}, {"pads", std::vector<int64_t>{1, 1, 1, 1}}},
          {random_array(rng, {1, channels, 9, 11}), random_array(rng, {4, channels, 3, 3})}};
}

ValueId add_value(Graph& graph, std::string const& name, Shape const& shape,
                  NDArray const& constant = {}) {
  return graph.add_value({name, tensor_type(DType::kF32, shape), constant, {}});
}

/// y = relu(conv(x, w, b)) and z = conv(x, w), with weights that are known or given.
struct Model {
  Graph graph;
  std::vector<NDArray> inputs;

  Model(Rng& rng, bool known) {
    NDArray weights = random_array(rng, {5, 3, 3, 3}), image = random_array(rng, {2, 3, 7, 6});
    ValueId x = add_value(graph, "x", {2, 3, 7, 6}),
            w = add_value(graph, "w", {5, 3, 3, 3}, known ? weights : NDArray()),
            b = add_value(graph, "b", {5}, random_array(rng, {5}));
    ValueId c = add_value(graph, "c", {2, 5, 7, 6}), y = add_value(graph, "y", {2, 5, 7, 6}),
            z = add_value(graph, "z", {2, 5, 7, 6});
    Attributes attributes{{"kernel", std::vector<int64_t>{3, 3}},
                          {"pads", std::vector<int64_t>{1, 1, 1, 1}}};
    graph.name = "two";
    Operator const *conv = find_operator("conv"), *relu = find_operator("relu");
    graph.nodes = {{"first", conv, "conv", attributes, {x, w, b}, {c}, {"first"}, {}, {}},
                   {"act", relu, "relu", {}, {c}, {y}, {"act"}, {}, {}},
                   {"second", conv, "conv", attributes, {x, w}, {z}, {"second"}, {}, {}}};
    graph.inputs = known ? std::vector{x} : std::vector{x, w};
    graph.outputs = {y, z};
    inputs = known ? std::vector{image} : std::vector{image, weights};
  }
};

Graph split(Graph const& graph, std::string const& algorithm) {
  GraphChoices choices;
  for (int32_t i : {0, 2}) choices.algorithms[{i}] = algorithm;
  return optimize(graph, [&](Graph const&) -> Result<GraphChoices> { return choices; }).value();
}

int count_of(Graph const& graph, std::string const& type) {
  return int(std::ranges::count(graph.nodes, type, &Node::type));
}

}  // namespace

class WinogradTest : public QObject {
  Q_OBJECT
private slots:
  /// Lavin and Gray's matrices are those of a convolution: A^T [(G g) (B^T d)] in one dimension.
  void the_transforms_are_those_of_a_convolution() {
    for (int64_t m : {2, 4}) {
      auto const &g = ops::weight_transform(m), &b = ops::input_transform(m),
                 &a = ops::output_transform(m);
      for (size_t out = 0; out < size_t(m); ++out)
        for (size_t tap = 0; tap < 3; ++tap)
          for (size_t in = 0; in < size_t(m + 2); ++in) {
            double factor = 0;
            for (size_t i = 0; i < size_t(m + 2); ++i) factor += a[out][i] * g[i][tap] * b[i][in];
            QVERIFY(std::abs(factor - (in == out + tap ? 1 : 0)) < 1e-12);
          }
    }
  }

  void errors_of_rounding_are_as_documented() {
    struct Most {
      char const* algorithm;
      double error;
    };
    for (auto [algorithm, most] :
         {Most{"direct", 2e-6}, {"winograd_2x2", 2e-6}, {"winograd_4x4", 1e-5}}) {
      double worst = 0;
      for (int64_t channels : {1, 16, 64})
        for (uint64_t seed = kSeed; seed < kSeed + 3; ++seed) {
          Rng rng(seed);
          worst = std::max(worst, error_of(convolution(rng, channels), algorithm));
        }
      qInfo("%s: %.1e of the greatest element (seeds from %llu)", algorithm, worst,
            static_cast<unsigned long long>(kSeed));
      QVERIFY2(worst < most, algorithm);
    }
  }

  void a_convolution_becomes_transforms_and_a_product() {
    for (char const* algorithm : {"winograd_2x2", "winograd_4x4"}) {
      Rng rng(kSeed);
      Model model(rng, true);
      Graph made = split(model.graph, algorithm);
      QCOMPARE(count_of(made, "conv"), 0);
      QCOMPARE(count_of(made, "winograd_weights"), 0);  // they are known
      QCOMPARE(count_of(made, "winograd_input"), 2);
      QCOMPARE(count_of(made, "matmul"), 2);
      QCOMPARE(made.groups.size(), size_t(6));  // relu joins the last transform
      int weights = 0;
      for (Value const& value : made.values)
        weights += value.is_constant() && value.constant.shape().size() > 1;
      QCOMPARE(weights, 1);  // for both
      auto expected = reference_run(model.graph, model.inputs).value(),
           actual = reference_run(made, model.inputs).value();
      for (size_t i : {0, 1}) QVERIFY(compare(actual[i], expected[i], 1e-5).equal);
    }
  }

  void weights_that_are_given_are_transformed_in_the_run() {
    Rng rng(kSeed);
    Model model(rng, false);
    Graph made = split(model.graph, "winograd_4x4");
    QCOMPARE(count_of(made, "winograd_weights"), 1);
    auto expected = reference_run(model.graph, model.inputs).value(),
         actual = reference_run(made, model.inputs).value();
    for (size_t i : {0, 1}) QVERIFY(compare(actual[i], expected[i], 1e-5).equal);
  }

  void other_convolutions_are_refused() {
    Operator const& conv = *find_operator("conv");
    Attributes of_3x3{{"kernel", std::vector<int64_t>{3, 3}}};
    Arrangement plain{"winograd_2x2", {{{1, 4, 8, 8}, {}}, {{4, 4, 3, 3}, {}}}, {}};
    QVERIFY(takes(conv, of_3x3, plain));
    for (auto [name, value] :
         {std::pair<char const*, Attribute>{"strides", std::vector<int64_t>{2, 1}},
          {"dilations", std::vector<int64_t>{1, 2}},
          {"group", int64_t(2)},
          {"kernel", std::vector<int64_t>{5, 5}},
          {"kernel", std::vector<int64_t>{3}}}) {
      Attributes other = of_3x3;
      other[name] = value;
      auto status = takes(conv, other, plain);
      QVERIFY2(!status && status.error().code == "layout_not_taken", name);
    }
    Rng rng(kSeed);
    RandomCase c = convolution(rng, 2);
    c.algorithm = "winograd_2x2";
    for (NDArray& input : c.inputs) input = NDArray::create(DType::kF16, input.shape()).value();
    QVERIFY(!kernel_of(conv, c, inferred(conv, c).value()));
  }
};

QTEST_GUILESS_MAIN(WinogradTest)
#include "winograd_test.moc"
