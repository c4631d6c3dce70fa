#include <QtTest>
#include <fstream>

#include "engine/graph/pipeline.h"
#include "engine/graph/reference.h"
#include "engine/importers/from_foreign.h"
#include "engine/importers/importer.h"
#include "engine/importers/onnx/reader.h"
#include "engine/samples/onnx_writer.h"
#include "engine/samples/samples.h"

using namespace tw;

namespace {

QString sentence(auto const& result) {
  return result ? QString() : QString::fromStdString(to_sentence(result.error()));
}

ImportedModel small_model() {
  ResNetOptions options{.name = "small", .blocks = {1}, .width = 2, .image = 8, .classes = 3};
  return build_resnet(options);
}

/// A protobuf field of the length-delimited kind.
std::string field(int number, std::string const& content) {
  std::string bytes(1, char(number << 3 | 2));
  for (size_t n = content.size(); true; n >>= 7) {
    bytes += char((n & 127) | (n > 127 ? 128 : 0));
    if (n <= 127) break;
  }
  return bytes + content;
}

std::string varint_field(int number, uint64_t value) {
  std::string bytes(1, char(number << 3));
  for (; value > 127; value >>= 7) bytes += char((value & 127) | 128);
  return bytes + char(value);
}

/// A model whose one initializer is the given TensorProto.
std::string model_with_tensor(std::string const& tensor) {
  return varint_field(1, 7) + field(7, field(5, tensor) + field(2, "g")) +
         field(8, varint_field(2, 13));
}

}  // namespace

class BadInputTest : public QObject {
  Q_OBJECT
private slots:
  void a_file_cut_anywhere_is_one_sentence_with_the_byte() {
    std::string bytes = write_onnx(small_model()).value();
    QVERIFY(read_onnx(bytes).has_value());
    for (size_t size = 0; size < bytes.size(); size += 97) {
      auto model = read_onnx(std::string_view(bytes).substr(0, size), "cut.onnx");
      QVERIFY2(!model.has_value(), std::to_string(size).c_str());
      QCOMPARE(QString::fromStdString(model.error().code), QString("not_onnx"));
      QVERIFY(sentence(model).startsWith("cut.onnx: ") && !sentence(model).contains('\n'));
    }
    auto inside = read_onnx(std::string_view(bytes).substr(0, bytes.size() / 2), "cut.onnx");
    QVERIFY2(
        sentence(inside).contains("inside tensor") || sentence(inside).contains("inside the model"),
        qPrintable(sentence(inside)));
  }

  void a_file_with_changed_bytes_never_crashes() {
    std::string bytes = write_onnx(small_model()).value();
    for (uint64_t seed = 1; seed <= 1500; ++seed) {
      Rng rng(seed);
      std::string damaged = bytes;
      for (int64_t i = rng.between(1, 6); i > 0; --i) {
        // Most changes near the front, where the structure is.
        int64_t span = rng.below(3) ? 2500 : int64_t(damaged.size());
        damaged[size_t(rng.below(std::min<int64_t>(span, int64_t(damaged.size()))))] =
            char(rng.below(256));
      }
      auto model = read_onnx(damaged, "damaged.onnx");
      if (!model) continue;
      auto graph = build_graph(*model);
      if (!graph) continue;
      auto fused = optimize(*graph);
      QVERIFY2(fused.has_value(), qPrintable(sentence(fused)));
      std::vector<NDArray> inputs;
      for (ValueId id : graph->inputs)
        if (auto info = tensor_info(graph->value(id));
            info && element_count(info->shape).value_or(1 << 20) < 1 << 16)
          inputs.push_back(NDArray::create(info->type, info->shape).value());
      ReferenceOptions options;
      options.max_bytes = 1 << 20;
      if (auto run = reference_run(*fused, inputs, options); !run)
        QVERIFY(!sentence(run).contains('\n'));
    }
  }

  void text_and_nothing_are_refused() {
    QCOMPARE(sentence(read_onnx("", "a.onnx")),
             QString("a.onnx: an empty file is not a valid ONNX model"));
    QVERIFY(sentence(read_onnx("hello, this is no model at all", "a.onnx"))
                .startsWith("a.onnx: this is not a complete ONNX model: at byte "));
    auto missing = open_model("/nowhere/model.onnx");
    QVERIFY(!missing && sentence(missing).contains("/nowhere/model.onnx"));
    QTemporaryDir folder;
    std::string text = folder.filePath("model.txt").toStdString();
    std::ofstream(text) << "kernel f(X: f32[4]) -> Y";
    QCOMPARE(sentence(open_model(text)),
             QString::fromStdString(text) + ": this is not a model in a supported format (ONNX)");
  }

  void a_tensor_that_claims_more_than_is_there_is_not_allocated() {
    // 2^40 floats in four bytes.
    std::string tensor = varint_field(1, uint64_t(1) << 40) + varint_field(2, 1) +
                         field(8, "huge") + field(9, "abcd");
    QCOMPARE(sentence(read_onnx(model_with_tensor(tensor), "m.onnx")),
             QString("m.onnx: the tensor 'huge' of shape 1099511627776 has 4 bytes"));
    std::string overflow = varint_field(1, uint64_t(1) << 62) + varint_field(1, uint64_t(1) << 62) +
                           varint_field(2, 1) + field(8, "huge");
    QVERIFY(sentence(read_onnx(model_with_tensor(overflow), "m.onnx"))
                .contains("more elements than can be counted"));
    std::string negative =
        varint_field(1, ~uint64_t(0)) + varint_field(2, 1) + field(8, "less") + field(9, "abcd");
    QVERIFY(sentence(read_onnx(model_with_tensor(negative), "m.onnx")).contains("negative extent"));
    std::string odd = varint_field(1, 1) + varint_field(2, 1) + field(8, "odd") + field(9, "abcde");
    QVERIFY(sentence(read_onnx(model_with_tensor(odd), "m.onnx")).contains("has 5 bytes"));
    std::string words =
        varint_field(1, 1) + varint_field(2, 8) + field(8, "words") + field(6, "text");
    // What is no number stops its readers, not the file; a stored tensor is what is asked for.
    QVERIFY(read_onnx(model_with_tensor(words), "m.onnx"));
    QCOMPARE(
        sentence(read_onnx_tensor(words, "w.pb")),
        QString(
            "w.pb: the tensor 'words' has the element type string (8), which is not supported"));
  }

  void data_in_another_file_is_refused() {
    std::string tensor =
        varint_field(1, 1) + varint_field(2, 1) + field(8, "far") + varint_field(14, 1);
    QCOMPARE(sentence(read_onnx(model_with_tensor(tensor), "m.onnx")),
             QString("m.onnx: the tensor 'far' keeps its data in another file: save the model with "
                     "the data inside"));
  }

  void a_huge_constant_of_shape_is_neither_folded_nor_run() {
    ImportedModel model = small_model();
    NDArray shape = NDArray::create(DType::kI64, {1}).value();
    shape.as<int64_t>()[0] = int64_t(1) << 35;
    model.graph.initializers["shape"] = shape;
    model.graph.nodes = {{"big", "ConstantOfShape", "", {"shape"}, {"output"}, {}}};
    auto graph = build_graph(model);
    QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
    auto fused = optimize(*graph);
    QVERIFY2(fused.has_value(), qPrintable(sentence(fused)));
    QCOMPARE(fused->nodes.size(), size_t(1));
    NDArray image = NDArray::create(DType::kF32, {1, 3, 8, 8}).value();
    QCOMPARE(sentence(reference_run(*graph, {image})),
             QString("node big: its result of shape 34359738368 would take more than 2048 MiB"));
  }

  void wrong_shapes_name_the_node() {
    ImportedModel model = small_model();
    model.graph.initializers["conv1.weight"] = NDArray::create(DType::kF32, {2, 4, 7, 7}).value();
    QCOMPARE(sentence(build_graph(model)),
             QString("node conv1: weights of shape 2x4x7x7 do not fit 3 channels in 1 groups (of "
                     "'input' f32[1, 3, 8, 8], 'conv1.weight' f32[2, 4, 7, 7])"));
  }

  void undefined_and_repeated_values_name_the_node() {
    ImportedModel model = small_model();
    model.graph.nodes[2].inputs[0] = "nothing";
    QCOMPARE(sentence(build_graph(model)),
             QString("node relu: it reads 'nothing', which nothing before it computes"));
    model = small_model();
    model.graph.nodes[2].outputs[0] = "conv1.out";
    QCOMPARE(sentence(build_graph(model)),
             QString("node relu: the value 'conv1.out' is computed twice"));
  }

  void open_extents_are_fixed_by_name() {
    ImportedModel model = small_model();
    model.graph.inputs[0].dims =
        std::vector<ForeignDim>{{std::nullopt, "N"}, {3, ""}, {std::nullopt, ""}, {8, ""}};
    auto open = build_graph(model);
    QVERIFY(open.has_value());
    QCOMPARE(
        QString::fromStdString(open->notes.at(0)),
        QString(
            "the input 'input' is f32[N, 3, ?, 8]: without its extents most shapes are unknown"));
    auto fixed = build_graph(model, {{{"input", {1, 3, 8, 8}}}});
    QVERIFY(fixed && fixed->notes.empty() &&
            fixed->value(fixed->outputs[0]).shape() == Shape({1, 3}));
    QCOMPARE(sentence(build_graph(model, {{{"input", {1, 4, 8, 8}}}})),
             QString("the input 'input' is f32[N, 3, ?, 8], but 1x4x8x8 was given"));
    QCOMPARE(sentence(build_graph(model, {{{"image", {1}}}})),
             QString("the model has no input and no extent 'image' to set"));
  }

  void wrong_inputs_of_a_run_are_named() {
    auto graph = build_graph(small_model());
    QCOMPARE(sentence(reference_run(*graph, {})),
             QString("the input 'input' (f32[1, 3, 8, 8]) is missing"));
    NDArray small = NDArray::create(DType::kF32, {1, 3, 4, 4}).value();
    QCOMPARE(sentence(reference_run(*graph, {small})),
             QString("the input 'input' (f32[1, 3, 8, 8]) was given f32[1x3x4x4]"));
    QCOMPARE(sentence(reference_run(*graph, {small, small})),
             QString("2 inputs were given, but the model has 1"));
  }

  void opset_imports_that_nobody_uses_are_no_error() {
    ImportedModel model = small_model();
    model.opsets["com.example.never"] = 3;
    QVERIFY(read_onnx(write_onnx(model).value()).has_value());
  }

  void names_with_colons_slashes_and_spaces_survive() {
    ImportedModel model = small_model();
    for (ForeignNode& node : model.graph.nodes)
      for (auto* list : {&node.inputs, &node.outputs})
        for (std::string& name : *list)
          if (name == "conv1.out") name = "a/b c:0";
    auto graph = build_graph(read_onnx(write_onnx(model).value()).value());
    QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
    QVERIFY(to_text(*graph).find("'a/b c:0'") != std::string::npos);
  }

  /// Control characters of eight bits and marks of direction among them.
  void names_steer_no_terminal() {
    ImportedModel model = small_model();
    for (ForeignNode& node : model.graph.nodes)
      for (auto* list : {&node.inputs, &node.outputs})
        for (std::string& name : *list)
          if (name == "conv1.out")
            name =
                "a\x1b[2Jb\xC2\x9B"
                "c\xE2\x80\xAE"
                "d\xFF"
                "e\xC3\xA4";
    auto graph = build_graph(read_onnx(write_onnx(model).value()).value());
    QVERIFY2(graph.has_value(), qPrintable(sentence(graph)));
    std::string text = to_text(*graph);
    size_t at = text.find("[2Jb");
    QVERIFY(at != std::string::npos && at >= 2);
    QCOMPARE(QString::fromStdString(text.substr(at - 2, 17)), QString("a?[2Jb??c???d?e\u00E4"));
  }
};

QTEST_GUILESS_MAIN(BadInputTest)
#include "bad_input_test.moc"
