// Random graphs with transposes between everything that transposes move through: the pass keeps
// every output, moves no more elements than before, and finds nothing to do in its own result.
//   TW_GRAPHS=100000 TW_TEST_SEED=7 build/tests/graph_random_transposes_test
#include <QtTest>

#include <cstring>
#include <map>

#include "engine/graph/passes.h"
#include "engine/graph/pipeline.h"
#include "engine/graph/reference.h"
#include "tests/support/random_transposes.h"

using namespace tw;
using tw::testing::RandomTransposes;

namespace {

constexpr int kGraphs = 3000;
constexpr uint64_t kSeed = 20261128;

int64_t number_from(char const* name, int64_t otherwise) {
  bool given = false;
  int64_t value = qEnvironmentVariable(name).toLongLong(&given);
  return given ? value : otherwise;
}

/// Elements that transposes move, and how many there are.
std::pair<int64_t, int64_t> moved(Graph const& graph) {
  std::pair<int64_t, int64_t> cost{0, 0};
  for (Node const& node : graph.nodes) {
    if (node.type != "transpose" || graph.value(node.inputs[0]).is_constant()) continue;
    Shape shape = *graph.value(node.inputs[0]).shape();
    std::vector<int64_t> order;
    for (size_t i = shape.size(); i > 0; --i) order.push_back(int64_t(i) - 1);
    order = integers(node.attributes, "order", order);
    std::erase_if(order, [&](int64_t axis) { return shape[size_t(axis)] == 1; });
    if (!std::ranges::is_sorted(order)) cost.first += *element_count(shape);
    ++cost.second;
  }
  return cost;
}

/// Sums of floats, whose order may change.
bool adds_floats(Graph const& graph) {
  return std::ranges::any_of(graph.nodes, [&](Node const& node) {
    bool sums = node.type == "reduce_sum" || node.type == "reduce_mean";
    return sums && is_float(*graph.value(node.inputs[0]).type.dtype);
  });
}

bool same_bytes(NDArray const& a, NDArray const& b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), size_t(a.byte_size())) == 0);
}

/// What is wrong with the outputs; empty: nothing.
std::string difference(Graph const& before, Graph const& after,
                       std::vector<NDArray> const& inputs) {
  auto expected = reference_run(before, inputs), actual = reference_run(after, inputs);
  if (!expected || !actual) return to_sentence((expected ? actual : expected).error());
  bool rounds = adds_floats(before);
  for (size_t i = 0; i < expected->size(); ++i) {
    NDArray const &a = (*actual)[i], &b = (*expected)[i];
    std::string const name = before.value(before.outputs[i]).name;
    if (after.value(after.outputs[i]).name != name) return "an output lost its name: " + name;
    if (a.shape() != b.shape() || a.type() != b.type()) return "another tensor: " + name;
    bool same = rounds && is_float(a.type()) ? compare(a, b, 1e-6, 1e-6).equal : same_bytes(a, b);
    // A rounded sum can be the largest, or a byte, where the other is not: such a graph is compared
    // by its floats.
    if (!same && !(rounds && !is_float(a.type()))) return "other elements: " + name;
  }
  return "";
}

std::vector<NDArray> inputs_of(Graph const& graph, Rng& rng) {
  std::vector<NDArray> inputs;
  for (ValueId id : graph.inputs) {
    Value const& value = graph.value(id);
    inputs.push_back(NDArray::create(*value.type.dtype, *value.shape()).value());
    for (int64_t i = 0; i < inputs.back().size(); ++i)
      inputs.back().set_value(i, double(rng.between(-4, 4)));
  }
  return inputs;
}

/// Over all graphs.
struct Totals {
  int64_t graphs = 0, changed = 0, exact = 0;
  std::pair<int64_t, int64_t> before, after;  ///< elements moved, transposes
  std::map<std::string, int> made;
};

void count_kinds(Graph const& graph, std::map<std::string, int>& made) {
  auto readers = consumers(graph);
  for (size_t i = 0; i < graph.values.size(); ++i) {
    Value const& value = graph.values[i];
    if (value.is_constant() || !value.shape()) continue;
    ++made["rank " + std::to_string(value.shape()->size())];
    made["extent of 1"] += std::ranges::count(*value.shape(), 1) > 0;
    made["several readers"] += readers[i].size() > 1;
    made["output read inside"] += is_output(graph, {int32_t(i)}) && !readers[i].empty();
    made["i8"] += value.type.dtype == DType::kI8;
  }
}

/// What goes wrong with the graph of a seed; empty: nothing.
std::string wrong_with(uint64_t seed, Totals& totals) {
  RandomTransposes random(seed);
  Graph graph = random.make();
  PassCounts counts, again;
  auto after = simplify_transposes().run(graph, {}, counts);
  if (!after) return to_sentence(after.error()) + "\n" + to_text(graph);
  auto context = [&](std::string const& what) {
    return what + "\n" + to_text(graph) + to_text(*after);
  };
  if (Status valid = verify(*after); !valid) return context(to_sentence(valid.error()));
  Rng rng(seed);
  std::vector<NDArray> const inputs = inputs_of(graph, rng);
  if (std::string wrong = difference(graph, *after, inputs); !wrong.empty()) return context(wrong);
  auto from = moved(graph), to = moved(*after);
  if (to > from) return context("more is moved than before");
  bool is_changed = to_text(*after) != to_text(graph);
  if (counts.empty() == is_changed) return context("it counts something else than it does");
  auto twice = simplify_transposes().run(*after, {}, again);
  if (!twice || moved(*twice) > to || !difference(graph, *twice, inputs).empty())
    return context("the second time goes wrong");
  ++totals.graphs, totals.changed += is_changed, totals.exact += !adds_floats(graph);
  totals.before.first += from.first, totals.before.second += from.second;
  totals.after.first += to.first, totals.after.second += to.second;
  for (auto const& [what, count] : random.made()) totals.made[what] += count;
  count_kinds(graph, totals.made);
  return "";
}

void show(uint64_t first, Totals const& totals) {
  qInfo(
      "%lld graphs from TW_TEST_SEED=%llu, %lld changed, %lld compared bit for bit; %lld "
      "transposes of %lld elements became %lld of %lld",
      qlonglong(totals.graphs), qulonglong(first), qlonglong(totals.changed),
      qlonglong(totals.exact), qlonglong(totals.before.second), qlonglong(totals.before.first),
      qlonglong(totals.after.second), qlonglong(totals.after.first));
  std::string kinds;
  for (auto const& [what, count] : totals.made)
    kinds += " " + what + " " + std::to_string(count) + ",";
  qInfo("%s", kinds.c_str());
}

}  // namespace

class RandomTransposesTest : public QObject {
  Q_OBJECT
private slots:
  void random_graphs_keep_their_outputs_and_move_no_more_elements() {
    uint64_t const first = uint64_t(number_from("TW_TEST_SEED", int64_t(kSeed)));
    int64_t const graphs = number_from("TW_GRAPHS", kGraphs);
    Totals totals;
    for (uint64_t seed = first; seed < first + uint64_t(graphs); ++seed) {
      std::string wrong = wrong_with(seed, totals);
      QVERIFY2(wrong.empty(), ("TW_TEST_SEED=" + std::to_string(seed) + ": " + wrong).c_str());
    }
    show(first, totals);
    if (graphs < kGraphs) return;
    for (char const* what : {"transpose",
                             "relu",
                             "clip",
                             "cast",
                             "add",
                             "mul",
                             "same shapes",
                             "broadcast",
                             "fewer axes",
                             "constant operand",
                             "constant of fewer axes",
                             "transposed constant",
                             "concat",
                             "split",
                             "slice",
                             "pad",
                             "reduce_sum",
                             "reduce_max",
                             "reduce_mean",
                             "arg_max",
                             "kept axes",
                             "dropped axes",
                             "softmax",
                             "log_softmax",
                             "hardmax",
                             "reshape",
                             "flatten",
                             "squeeze",
                             "unsqueeze",
                             "quantize_linear",
                             "dequantize_linear",
                             "scales along an axis",
                             "one scale",
                             "gemm",
                             "matmul",
                             "global_average_pool",
                             "cum_sum",
                             "where",
                             "between",
                             "rank 1",
                             "rank 2",
                             "rank 3",
                             "rank 4",
                             "rank 5",
                             "extent of 1",
                             "several readers",
                             "output read inside",
                             "i8"})
      QVERIFY2(totals.made[what] >= 50, what);
    QVERIFY(totals.changed > graphs / 2 && totals.exact > graphs / 3);
    QVERIFY(totals.after.first < totals.before.first * 3 / 4);
  }
};

QTEST_GUILESS_MAIN(RandomTransposesTest)
#include "random_transposes_test.moc"
