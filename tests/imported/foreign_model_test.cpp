#include <QtTest>

#include "engine/imported/imported_model.h"

using namespace tw;

class ForeignModelTest : public QObject {
  Q_OBJECT
private slots:
  void the_text_names_every_part_and_shows_tensors_by_hash() {
    ImportedModel model;
    model.format = "onnx";
    model.producer = "hand";
    model.opsets = {{"", 13}};
    model.graph.name = "two: nodes/here";
    model.graph.inputs = {{"x:0", ForeignKind::kTensor, DType::kF32,
                           std::vector<ForeignDim>{{std::nullopt, "N"}, {3, ""}, {}}}};
    model.graph.outputs = {{"y", ForeignKind::kSequence, std::nullopt, std::nullopt}};
    NDArray w = NDArray::create(DType::kF32, {2, 2}).value();
    model.graph.initializers["w"] = w;
    model.graph.nodes = {{"n",
                          "Conv",
                          "",
                          {"x:0", "w"},
                          {"y"},
                          {{"group", int64_t(1)},
                           {"pads", std::vector<int64_t>{1, 2}},
                           {"mode", std::string("a")}}}};
    std::string text = to_text(model);
    for (char const* part : {"tilewright foreign 1\n", "input 'x:0': f32[N, 3, ?]",
                             "output 'y': sequence unknown[...]", "initializer 'w': f32[2x2] #",
                             "node 'n' Conv(x:0, w) -> y {group=1, mode='a', pads=[1, 2]}"})
      QVERIFY2(text.find(part) != std::string::npos, (std::string(part) + "\n" + text).c_str());
  }
};

QTEST_GUILESS_MAIN(ForeignModelTest)
#include "foreign_model_test.moc"
