// Weights in files beside the model: read, refused, listed.
#include "engine/importers/external_data.h"

#include <QtTest>

#include "engine/importers/importer.h"
#include "engine/support/base64.h"
#include "engine/support/files.h"
#include "engine/support/relative_path.h"
#include "tests/support/external_model.h"

using namespace tw;

namespace {

/// A model of one tensor of two floats, with its data where the entries say.
std::string model_of(std::vector<std::pair<std::string, std::string>> const& entries) {
  onnx::ModelProto proto;
  proto.add_opset_import()->set_version(13);
  auto* tensor = proto.mutable_graph()->add_initializer();
  tensor->set_name("w");
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  tensor->add_dims(2);
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  for (auto const& [key, value] : entries) {
    auto* entry = tensor->add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  return proto.SerializeAsString();
}

}  // namespace

class ExternalDataTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    float values[3] = {7, 1.5F, -2};
    std::ofstream(at("w.bin"), std::ios::binary)
        .write(reinterpret_cast<char const*>(values), sizeof values);
    std::ofstream(at("outside.bin"), std::ios::binary) << std::string(100, 'x');
    std::filesystem::create_directory(at("m"));
    std::filesystem::rename(at("w.bin"), at("m/w.bin"));
  }

  void a_tensor_is_read_from_the_file_beside_its_model() {
    auto model = read({{"location", "w.bin"}, {"offset", "4"}, {"length", "8"}});
    QVERIFY2(model, model ? "" : model.error().message.c_str());
    QCOMPARE(model->graph.initializers.at("w").value_at(0), 1.5);
    QCOMPARE(model->graph.initializers.at("w").value_at(1), -2.0);
    QCOMPARE(read({{"location", "w.bin"}})->graph.initializers.at("w").value_at(0), 7.0);
  }

  void what_cannot_be_read_is_one_sentence_data() {
    QTest::addColumn<QString>("location");
    QTest::addColumn<QString>("offset");
    QTest::addColumn<QString>("length");
    QTest::addColumn<QString>("words");
    auto row = [](char const* name, char const* location, char const* offset, char const* length,
                  char const* words) {
      QTest::newRow(name) << location << offset << length << words;
    };
    row("climbs", "../outside.bin", "0", "8", "would be outside its folder");
    row("climbs late", "a/../../outside.bin", "0", "8", "would be outside its folder");
    row("absolute", "/etc/passwd", "0", "8", "would be outside its folder");
    row("none", "", "0", "8", "would be outside its folder");
    row("missing", "v.bin", "0", "8", "are missing");
    row("a folder", ".", "0", "8", "are missing");
    row("too short", "w.bin", "8", "8", "end after 12 bytes");
    row("far off", "w.bin", "9223372036854775807", "8", "end after 12 bytes");
    row("negative", "w.bin", "-1", "8", "has an invalid offset of its data: '-1'");
    row("no number", "w.bin", "0", "8x", "has an invalid length of its data: '8x'");
    row("other length", "w.bin", "0", "4", "has 4 bytes elsewhere");
  }
  void what_cannot_be_read_is_one_sentence() {
    QFETCH(QString, location);
    QFETCH(QString, offset);
    QFETCH(QString, length);
    QFETCH(QString, words);
    auto model = read({{"location", location.toStdString()},
                       {"offset", offset.toStdString()},
                       {"length", length.toStdString()}});
    QVERIFY(!model);
    QVERIFY2(model.error().message.find(words.toStdString()) != std::string::npos,
             model.error().message.c_str());
  }

  /// A cache keeps contents in one folder and a folder of links with their names; a link of a plain
  /// folder may lead anywhere, and is not followed.
  void a_link_leads_out_of_the_folder_only_into_the_models_own_store() {
    namespace fs = std::filesystem;
    for (char const* folder : {"blobs", "snapshots", "snapshots/a", "plain"})
      fs::create_directory(at(folder));
    fs::copy_file(at("m/w.bin"), at("blobs/1"));
    std::ofstream(at("blobs/2"), std::ios::binary) << model_of({{"location", "w.bin"}});
    std::ofstream(at("plain/m.onnx"), std::ios::binary) << model_of({{"location", "w.bin"}});
    fs::create_symlink("../../blobs/2", at("snapshots/a/m.onnx"));
    auto model = [&](char const* path, char const* weights) {
      fs::path link = at(path).parent_path() / "w.bin";
      fs::remove(link);
      fs::create_symlink(weights, link);
      return read_onnx(read_file(at(path)).value(), "m", external_bytes_beside(at(path)));
    };
    QVERIFY(model("snapshots/a/m.onnx", "../../blobs/1"));
    for (auto const& [path, weights] : {std::pair{"snapshots/a/m.onnx", "../../outside.bin"},
                                        {"plain/m.onnx", "../blobs/1"},
                                        {"plain/m.onnx", "../outside.bin"},
                                        {"plain/m.onnx", "/etc/passwd"}}) {
      auto refused = model(path, weights);
      QVERIFY2(!refused, weights);
      QCOMPARE(
          QString::fromStdString(refused.error().message),
          QString(
              "the weights in 'w.bin' beside the model are a link to a file outside its folder"));
    }
    fs::copy_file(at("m/w.bin"), at("plain/v.bin"));
    QVERIFY(model("plain/m.onnx", "v.bin"));  // below the folder a link is as good as a file
  }

  void bytes_alone_are_refused_and_their_files_listed() {
    std::string bytes = model_of({{"location", "w.bin"}});
    auto alone = read_onnx(bytes);
    QVERIFY(!alone && alone.error().code == "external_data");
    QCOMPARE(external_files_in(bytes), std::vector<std::string>{"w.bin"});
    QVERIFY(external_files_in("rubbish").empty());
    QVERIFY(external_files_of(at("nothing.onnx")).empty());
  }

  void a_network_with_its_weights_apart_is_the_same_network() {
    testing::ExternalModel model;
    auto apart = open_model(model.write(at("")));
    QVERIFY2(apart, apart ? "" : to_sentence(apart.error()).c_str());
    std::ofstream(at("whole.onnx"), std::ios::binary) << model.whole;
    auto whole = open_model(at("whole.onnx"));
    QCOMPARE(to_text(*apart), to_text(*whole));  // constants stand there by their hashes
    QCOMPARE(external_files_of(at("small.onnx")), std::vector<std::string>{"small.weights"});
    QVERIFY(external_files_of(at("whole.onnx")).empty());
  }

  void names_of_files_stay_below_their_folder() {
    for (char const* name : {"a", "a/b", "a.b/c-d", "..a"}) QVERIFY2(stays_below(name), name);
    for (char const* name : {"", "/", "/a", "..", "a/..", "a/../b", "a/", "../a"})
      QVERIFY2(!stays_below(name), name);
  }

  void base64_is_that_of_the_standard() {
    std::pair<char const*, char const*> const known[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
    for (auto [bytes, text] : known) {
      QCOMPARE(to_base64(bytes), std::string(text));
      QCOMPARE(from_base64(text).value(), std::string(bytes));
    }
    std::string all;
    for (int i = 0; i < 256; ++i) all += char(i);
    QCOMPARE(from_base64(to_base64(all)).value(), all);
    for (char const* wrong : {"Z", "Zg=", "Zg=a", "Z===", "Zm9v\n", "Zm 9", "====", "Zg==Zg=="})
      QVERIFY2(!from_base64(wrong), wrong);
  }

private:
  std::filesystem::path at(char const* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  Result<ImportedModel> read(std::vector<std::pair<std::string, std::string>> const& entries) {
    return read_onnx(model_of(entries), "m", external_bytes_beside(at("m/m.onnx")));
  }
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(ExternalDataTest)
#include "external_data_test.moc"
