// Operands of types that do not belong together: refused when the model is opened, or computed,
// never a broken promise inside.
#include <QtTest>

#include "engine/compile/tasks.h"
#include "engine/graph/graph.h"

using namespace tw;

class OperandTypesTest : public QObject {
  Q_OBJECT
private slots:
  void every_operator_takes_each_operand_of_each_type_or_says_no_data() {
    QTest::addColumn<QString>("name");
    for (Operator const* op : operator_table())
      if (op->random_case) QTest::newRow(op->name.c_str()) << QString::fromStdString(op->name);
  }
  void every_operator_takes_each_operand_of_each_type_or_says_no() {
    QFETCH(QString, name);
    Operator const& op = *find_operator(name.toStdString());
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      Rng rng(seed);
      RandomCase one = op.random_case(rng);
      for (size_t i = 0; i < one.inputs.size(); ++i)
        for (DType type : {DType::kF32, DType::kF16, DType::kI64, DType::kI32, DType::kU8,
                           DType::kBool, DType::kF64, DType::kU64})
          if (!one.inputs[i].empty()) try_type(op, one, i, type);
    }
  }

private:
  static void try_type(Operator const& op, RandomCase const& one, size_t changed, DType type) {
    std::vector<TensorInfo> infos;
    for (NDArray const& input : one.inputs) infos.push_back({input.type(), input.shape(), {}});
    infos[changed].type = type;
    std::vector<TensorInfo const*> operands;
    for (size_t i = 0; i < infos.size(); ++i)
      operands.push_back(one.inputs[i].empty() ? nullptr : &infos[i]);
    auto made = op.infer(one.attributes, operands);
    if (!made || made->empty()) return;
    Graph graph;
    Node node;
    node.name = node.type = op.name;
    node.op = &op;
    node.attributes = one.attributes;
    for (TensorInfo const* info : operands)
      node.inputs.push_back(info ? graph.add_value({"in", tensor_type(info->type, info->shape), {}})
                                 : ValueId());
    for (TensorInfo const& info : *made)
      node.outputs.push_back(graph.add_value({"out", tensor_type(info.type, info.shape), {}}));
    graph.nodes.push_back(std::move(node));
    (void)kernel_of(graph, NodeId{0});  // either a kernel or a reason
  }
};

QTEST_GUILESS_MAIN(OperandTypesTest)
#include "operand_types_test.moc"
