// Exported folders: they run alone, and are there only when they passed their own test.
#include <QtTest>

#include <fstream>
#include <thread>

#include "app/shared/environment.h"
#include "engine/backend/target_table.h"
#include "engine/device/local_device.h"
#include "engine/package/export.h"
#include "engine/runtime/package/description.h"
#include "engine/samples/onnx_writer.h"
#include "engine/samples/samples.h"
#include "engine/session/model/loaded_model.h"
#include "engine/support/files.h"
#include "tests/package/exports.h"
#include "tests/support/line_models.h"
#include "tests/support/paths.h"
#include "tests/support/sanitized.h"

using namespace tw;
using namespace tw::session;
using namespace tw::testing;
namespace fs = std::filesystem;

namespace {

constexpr char kInstrumented[] = "an instrumented runtime needs the sanitizer's own library";

Model opened(ImportedModel const& foreign, fs::path const& file, Backend const& backend) {
  std::ofstream(file, std::ios::binary) << write_onnx(foreign).value();
  auto model = load_model(file.string(), {}, backend);
  if (!model) qFatal("%s", qPrintable(words(model.error())));
  return *model;
}

ImportedModel small_resnet() {
  ResNetOptions options{.name = "small", .blocks = {1, 1}, .width = 8, .image = 33, .classes = 5};
  return build_resnet(options);
}

}  // namespace

class ExportTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    environment_ = make_environment().value();
    device_ = std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
    model_ = opened(small_resnet(), at("small.onnx"), *environment_.backend);
  }

  void an_exported_model_runs_alone_and_computes_what_the_reference_does() {
    auto view = export_to(at("first"));
    QVERIFY2(view, qPrintable(sentence(view)));
    QVERIFY(view->tested && view->least_ms > 0 && view->largest_value > 0.01);
    QVERIFY(view->largest_difference <= 1e-3 * view->largest_value);
    QVERIFY2(testing::kSanitized || view->runtime_bytes < 310'000,
             "the runtime library is no longer small");
    for (char const* name : {"model.json", "kernels.so", "parameters.bin", "tilewright.h",
                             "libtilewright_runtime.so", "example", "example.cpp", "example.py",
                             "README.txt", "test/input_0.bin", "test/output_0.bin"})
      QVERIFY2(fs::exists(at("first") / name), name);
    Ran ran = run(at("first"), "./example", {"--rounds", "1", "--threads", "1"});
    QVERIFY2(ran.code == 0 && ran.output.endsWith("the outputs are the stored ones\n"),
             qPrintable(ran.output));
  }

  void the_runtime_needs_nothing_but_the_standard_libraries() {
    if (testing::kSanitized) QSKIP(kInstrumented);
    QVERIFY(export_to(at("needs")));
    Ran ran =
        run(at("needs"), "/usr/bin/readelf", {"-d", "libtilewright_runtime.so", "kernels.so"});
    if (ran.code != 0) QSKIP("readelf is not installed");
    QVERIFY(ran.output.contains("NEEDED"));
    for (QString const& line : ran.output.split('\n'))
      if (line.contains("NEEDED"))
        QVERIFY2(
            line.contains(QRegularExpression("\\[(libstdc\\+\\+|libc|libm|libgcc_s|ld-linux)")),
            qPrintable(line));
  }

  void its_description_says_what_runs_and_how_it_was_scheduled() {
    QVERIFY(export_to(at("described")));
    auto parsed = package::parse_description(read_file(at("described") / "model.json").value());
    QVERIFY2(parsed, qPrintable(sentence(parsed)));
    QCOMPARE(parsed->name, std::string("small"));
    QCOMPARE(parsed->inputs.size(), size_t(1));
    QCOMPARE(parsed->steps.size(), model_->plan.steps.size());
    QCOMPARE(parsed->kernels.size(), model_->plan.kernels.size());
    for (auto const& kernel : parsed->kernels)
      QVERIFY(kernel.script.starts_with("tilewright schedule 1\n"));
    QVERIFY(!parsed->target.features.empty());
    QVERIFY(package::parse_description(package::to_text(*parsed)).value() == *parsed);
  }

  void the_cpp_example_compiles_with_the_line_in_its_head() {
    if (testing::kSanitized) QSKIP(kInstrumented);
    QString compiler = QStandardPaths::findExecutable("c++");
    if (compiler.isEmpty()) QSKIP("there is no c++ here");
    QVERIFY(export_to(at("built")));
    fs::remove(at("built") / "example");
    std::string source = read_file(at("built") / "example.cpp").value();
    QVERIFY(source.starts_with("// small, exported by Tilewright "));
    size_t begin = source.find("c++ -O2"), end = source.find('\n', begin);
    QVERIFY(begin != std::string::npos);
    QStringList line{
        "-c", QString::fromStdString(source.substr(begin, end - begin)) + " -Wall -Wextra -Werror"};
    Ran built = run(at("built"), "/bin/sh", line, QProcessEnvironment::systemEnvironment());
    QVERIFY2(built.code == 0, qPrintable(built.output));
    Ran ran = run(at("built"), "./example", {"--rounds", "1"});
    QVERIFY2(ran.code == 0, qPrintable(ran.output));
  }

  void the_header_is_plain_c() {
    if (testing::kSanitized) QSKIP(kInstrumented);
    QString compiler = QStandardPaths::findExecutable("cc");
    if (compiler.isEmpty()) QSKIP("there is no cc here");
    QVERIFY(export_to(at("c")));
    std::ofstream(at("c") / "user.c")
        << "#include \"tilewright.h\"\n#include <stdio.h>\n"
           "int main(void) {\n  TwModel* model = tw_load(\".\", 1);\n"
           "  if (!model || tw_run(model) != 0) { puts(tw_error()); return 1; }\n"
           "  printf(\"%s %d %d\\n\", tw_name(model), tw_input_count(model), "
           "tw_output(model, 0)->rank);\n  tw_free(model);\n  return 0;\n}\n";
    Ran built = run(at("c"), compiler,
                    {"-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "user.c", "-o", "user",
                     "-L.", "-ltilewright_runtime", "-Wl,-rpath,$ORIGIN"},
                    QProcessEnvironment::systemEnvironment());
    QVERIFY2(built.code == 0, qPrintable(built.output));
    Ran ran = run(at("c"), "./user", {});
    QCOMPARE(ran.output, QString("small 1 2\n"));
  }

  void the_python_example_runs_where_numpy_is() {
    if (testing::kSanitized) QSKIP(kInstrumented);
    if (run(at(""), "/usr/bin/python3", {"-c", "import numpy"}).code != 0)
      QSKIP("/usr/bin/python3 has no numpy (Debian's python3-numpy)");
    QVERIFY(export_to(at("python")));
    Ran ran = run(at("python"), "/usr/bin/python3", {"example.py"});
    QVERIFY2(ran.code == 0 && ran.output.contains("the outputs are the stored ones"),
             qPrintable(ran.output));
    // What is wrong is a sentence there, too.
    fs::resize_file(at("python") / "parameters.bin", 100);
    ran = run(at("python"), "/usr/bin/python3", {"example.py"});
    QVERIFY2(ran.code != 0 && ran.output.contains("parameters.bin is damaged: it has 100 bytes of"),
             qPrintable(ran.output));
  }

  void what_a_schedule_computes_from_parameters_is_computed_at_export() {
    int row = find_kernel(*model_, "gemm_5").value();
    ExportRequest request{.folder = at("packed"), .threads = 1};
    auto plain = export_to(at("unpacked"));
    QVERIFY2(plain, qPrintable(sentence(plain)));
    std::string weight;
    for (ir::Buffer const& input : model_->kernel(row).kernel.inputs)
      if (ir::constant_shape(*input)->size() == 2 && input->scope == ir::kParameterScope)
        weight = input->name;
    request.scripts[row] = "tilewright schedule 1\nfor gemm_5\npack(" +
                           model_->kernel(row).kernel.stages[0].output->name +
                           ", tensor=" + weight + ", layout=BA16b)\n";
    auto view = export_with(request);
    QVERIFY2(view, qPrintable(sentence(view)));
    // Padded to 16 columns, and the weights as they were are not in the file any more.
    auto before = package::parse_description(read_file(at("unpacked") / "model.json").value());
    auto after = package::parse_description(read_file(at("packed") / "model.json").value());
    QVERIFY(view->tested && view->parameter_bytes != plain->parameter_bytes);
    QCOMPARE(after->steps.back().buffers.size(), before->steps.back().buffers.size() + 1);
    bool unread = false;
    for (auto const& buffer : after->steps.back().buffers)
      unread = unread || buffer.region == package::Region::kNothing;
    QVERIFY(unread);
  }

  void an_output_may_be_an_input_a_constant_or_another_output() {
    ImportedModel foreign =
        model_of({"y = Relu x", "z = Identity y", "u = Identity x"}, {2, 3}, {"y", "z", "u"});
    Model model = opened(foreign, at("aliases.onnx"), *environment_.backend);
    ExportRequest request{.folder = at("aliases"), .threads = 1};
    auto view =
        export_to_folder(*model, request, environment_.exports, *environment_.backend, *device_);
    QVERIFY2(view && view->tested, qPrintable(sentence(view)));
  }

  void nodes_without_a_kernel_are_listed_with_their_reasons() {
    ImportedModel foreign = model_of({"a = Relu x", "y = Frobnicate a"}, {2, 3});
    Model model = opened(foreign, at("opaque.onnx"), *environment_.backend);
    ExportRequest request{.folder = at("opaque"), .threads = 1};
    auto view =
        export_to_folder(*model, request, environment_.exports, *environment_.backend, *device_);
    QVERIFY(!view);
    QCOMPARE(view.error().code, std::string("not_exportable"));
    QVERIFY2(view.error().message.find("Frobnicate") != std::string::npos,
             qPrintable(words(view.error())));
    QVERIFY(!fs::exists(at("opaque")));
  }

  void a_folder_with_something_else_is_left_alone() {
    fs::create_directories(at("mine"));
    std::ofstream(at("mine") / "thesis.txt") << "years of work";
    auto view = export_to(at("mine"));
    QVERIFY(!view && view.error().code == "folder_in_use");
    QCOMPARE(read_file(at("mine") / "thesis.txt").value(), std::string("years of work"));
    std::ofstream(at("file")) << "x";
    QCOMPARE(export_to(at("file")).error().code, std::string("folder_in_use"));
    QCOMPARE(export_to("/proc/none").error().code, std::string("file_unwritable"));
  }

  void an_unknown_target_lists_the_known_ones() {
    ExportRequest request{.folder = at("unknown"), .target = "cpu:vax"};
    QString said = sentence(export_with(request));
    QVERIFY2(said.startsWith("there is no target 'cpu:vax'; the targets are cpu, "),
             qPrintable(said));
    for (std::string const& known : target_names())
      QVERIFY2(said.contains(QString::fromStdString(known)), qPrintable(said));
  }

  void a_failed_test_leaves_nothing_and_keeps_the_earlier_export_data() {
    QTest::addColumn<QByteArray>("example");
    QTest::addColumn<QString>("why");
    QTest::newRow("says no") << QByteArray("#!/bin/sh\necho 'example: nothing fits' >&2\nexit 1\n")
                             << "example: nothing fits";
    QTest::newRow("crashes") << QByteArray("#!/bin/sh\nkill -SEGV $$\n")
                             << "it was ended by signal 11";
    QTest::newRow("says nothing") << QByteArray("#!/bin/sh\n") << "it did not report its";
    QTest::newRow("no program") << QByteArray("rubbish") << "it ended with code 127";
  }
  void a_failed_test_leaves_nothing_and_keeps_the_earlier_export() {
    QFETCH(QByteArray, example);
    QFETCH(QString, why);
    fs::remove_all(at("failing"));
    QVERIFY(export_to(at("failing")));
    std::string before = read_file(at("failing") / "model.json").value();
    ExportKit kit = broken_kit(example);
    ExportRequest request{.folder = at("failing"), .threads = 1};
    auto view = export_to_folder(*model_, request, kit, *environment_.backend, *device_);
    QVERIFY(!view);
    QCOMPARE(view.error().code, std::string("self_test_failed"));
    QVERIFY2(words(view.error()).contains(why), qPrintable(words(view.error())));
    QCOMPARE(read_file(at("failing") / "model.json").value(), before);
    for (auto const& entry : fs::directory_iterator(at("")))
      QVERIFY2(entry.path().string().find(".part") == std::string::npos, entry.path().c_str());
  }

  void outputs_that_differ_fail_the_test() {
    std::vector<NDArray> inputs = random_inputs(*model_, 1).value();
    std::vector<NDArray> wrong{NDArray::create(DType::kF32, {1, 5}).value()};
    PackageSource source{model_->after,         model_->plan, *environment_.backend,
                         *environment_.backend, *device_,     {}};
    ExportOptions options{.name = "small",
                          .folder = at("wrong"),
                          .kit = environment_.exports.folder,
                          .inputs = inputs,
                          .expected = wrong};
    auto result = export_model(source, options);
    QVERIFY(!result);
    QVERIFY2(words(result.error()).contains("example: the outputs differ from the stored ones by"),
             qPrintable(words(result.error())));
    QVERIFY(!fs::exists(at("wrong")));
  }

  void a_running_export_can_be_stopped() {
    ExportKit kit = broken_kit("#!/bin/sh\nexec /bin/sleep 100\n");
    std::stop_source stop;
    std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::seconds(3));
      stop.request_stop();
    });
    QElapsedTimer clock;
    clock.start();
    ExportRequest request{.folder = at("stopped"), .threads = 1};
    auto view =
        export_to_folder(*model_, request, kit, *environment_.backend, *device_, stop.get_token());
    QVERIFY(!view && view.error().code == "cancelled");
    QVERIFY(clock.elapsed() < 60'000);
    QVERIFY(!fs::exists(at("stopped")));
  }

  void a_kit_without_the_architecture_says_what_is_missing() {
    ExportKit kit = environment_.exports;
    kit.folder = at("empty_kit");
    ExportRequest request{.folder = at("kitless"), .threads = 1};
    auto view = export_to_folder(*model_, request, kit, *environment_.backend, *device_);
    QVERIFY(!view && view.error().code == "no_runtime");
    QVERIFY(!fs::exists(at("kitless")));
  }

  void other_processors_get_their_own_code_data() {
    QTest::addColumn<QString>("target");
    for (char const* target :
         {"cpu:x86-64-v3", "cpu:x86-64-v4", "cpu:aarch64", "cpu:aarch64-dotprod", "cpu:armv7"})
      QTest::newRow(target) << QString(target);
  }
  void other_processors_get_their_own_code() {
    QFETCH(QString, target);
    ExportRequest request{.folder = at("other"), .target = target.toStdString(), .threads = 1};
    auto view = export_with(request);
    if (!view && view.error().code == "no_runtime") QSKIP(qPrintable(words(view.error())));
    QVERIFY2(view, qPrintable(sentence(view)));
    if (!view->tested) QSKIP(view->not_tested_because.c_str());
    QVERIFY(view->largest_difference <= 1e-3 * view->largest_value);
  }

private:
  fs::path at(std::string const& name) const {
    return fs::path(folder_.path().toStdString()) / name;
  }
  Result<ExportView> export_with(ExportRequest request) {
    request.cache_folder = environment_.cache_folder;
    return export_to_folder(*model_, request, environment_.exports, *environment_.backend,
                            *device_);
  }
  Result<ExportView> export_to(fs::path const& folder) {
    return export_with({.folder = folder, .threads = 1});
  }
  /// The kit with another program as its example.
  ExportKit broken_kit(QByteArray const& example) {
    ExportKit kit = environment_.exports;
    fs::remove_all(at("kit"));
    fs::copy(kit.folder, at("kit"), fs::copy_options::recursive);
    kit.folder = at("kit");
    package::Target target = target_of(*environment_.backend);
    std::ofstream(at("kit") / target.name / target.architecture / "example", std::ios::trunc)
        << example.toStdString();
    return kit;
  }

  QTemporaryDir folder_;
  Environment environment_;
  std::unique_ptr<Device> device_;
  Model model_;
};

QTEST_GUILESS_MAIN(ExportTest)
#include "export_test.moc"
