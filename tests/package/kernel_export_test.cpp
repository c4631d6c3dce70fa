// Kernels that are exported alone, and schedules that come along: from a script, from the window's
// session, from a project.
#include <QtTest>

#include <cstring>
#include <fstream>

#include "app/shared/environment.h"
#include "engine/device/local_device.h"
#include "engine/runtime/package/description.h"
#include "engine/samples/onnx_writer.h"
#include "engine/samples/samples.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/project/project.h"
#include "engine/session/session.h"
#include "engine/support/files.h"
#include "tests/package/exports.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::session;
using namespace tw::testing;
namespace fs = std::filesystem;

namespace {

constexpr char kScale[] =
    "tilewright te 1\n"
    "kernel scale(X: f32[4, 16], W: f32[16] @param) -> Y\n"
    "  Y[i in 4, j in 16] = X[i, j] * W[j]\n";
constexpr char kMatmul[] =
    "tilewright te 1\n"
    "kernel matmul(A: f32[32, 24], B: f32[24, 40]) -> C\n"
    "  C[i in 32, j in 40] = sum[k in 24] A[i, k] * B[k, j]\n";
constexpr char kTiled[] =
    "tilewright schedule 1\nfor matmul\nj.0, j.1 = split(C.j, factor=8)\n"
    "reorder(C.j.0, C.k, C.j.1)\nvectorize(C.j.1)\n";

std::vector<float> floats(fs::path const& file) {
  std::string bytes = read_file(file).value();
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), values.size() * 4);
  return values;
}

}  // namespace

class KernelExportTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    environment_ = make_environment().value();
    device_ = std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
    std::ofstream(at("scale.te")) << kScale;
    std::ofstream(at("matmul.te")) << kMatmul;
    std::ofstream(at("tiled.tws")) << kTiled;
  }

  void every_example_of_a_kernel_runs_alone_data() {
    QTest::addColumn<QString>("name");
    for (ExpressionExample const& example : expression_examples())
      QTest::newRow(example.name.c_str()) << QString::fromStdString(example.name);
  }
  void every_example_of_a_kernel_runs_alone() {
    QFETCH(QString, name);
    auto view = export_alone("example:" + name.toStdString(), {.folder = at("example")});
    QVERIFY2(view, qPrintable(sentence(view)));
    QVERIFY(view->tested && view->kernels == 1 && view->shaped == 0 && view->largest_value > 1e-4);
    QVERIFY(view->largest_difference <= 1e-3 * view->largest_value);
    auto parsed = described("example");
    QCOMPARE(parsed.steps.size(), size_t(1));
    bool has_parameters = parsed.parameters.bytes > 0;
    QCOMPARE(!view->note.empty(), has_parameters);
    QCOMPARE(read_file(at("example") / "README.txt").value().find("it contains random values") !=
                 std::string::npos,
             has_parameters);
    Ran ran = run(at("example"), "./example", {"--rounds", "1", "--threads", "1"});
    QVERIFY2(ran.code == 0, qPrintable(ran.output));
  }

  void other_processors_get_the_kernel_too_data() {
    QTest::addColumn<QString>("target");
    for (char const* target : {"cpu:x86-64-v3", "cpu:x86-64-v4", "cpu:aarch64", "cpu:armv7"})
      QTest::newRow(target) << QString(target);
  }
  void other_processors_get_the_kernel_too() {
    QFETCH(QString, target);
    ExportRequest request{.folder = at("other"), .target = target.toStdString()};
    auto view = export_alone("example:convolution", request);
    if (!view && view.error().code == "no_runtime") QSKIP(qPrintable(words(view.error())));
    QVERIFY2(view, qPrintable(sentence(view)));
    if (!view->tested) QSKIP(view->not_tested_because.c_str());
    QVERIFY(view->largest_difference <= 1e-3 * view->largest_value);
  }

  void parameters_that_are_given_are_what_the_kernel_multiplies_by() {
    NDArray weights = NDArray::create(DType::kF32, {16}).value();
    for (int j = 0; j < 16; ++j) weights.set_value(j, j + 1);
    ExportRequest request{.folder = at("scaled"), .parameters = {{"W", weights}}};
    auto view = export_alone(at("scale.te").string(), request);
    QVERIFY2(view, qPrintable(sentence(view)));
    QCOMPARE(view->note, std::string());
    QCOMPARE(floats(at("scaled") / "parameters.bin")[4], 5.0f);
    std::vector<float> x = floats(at("scaled/test/input_0.bin")),
                       y = floats(at("scaled/test/output_0.bin"));
    QCOMPARE(y.size(), size_t(64));
    for (size_t i = 0; i < y.size(); ++i) QCOMPARE(y[i], x[i] * float(i % 16 + 1));
    QVERIFY(!fs::exists(at("scaled/test/input_1.bin")));
  }

  void a_parameter_that_does_not_fit_is_said() {
    NDArray three = NDArray::create(DType::kF32, {3}).value();
    auto said = [&](char const* name, std::string const& path) {
      ExportRequest request{.folder = at("unfit"), .parameters = {{name, three}}};
      return sentence(export_alone(path, request));
    };
    QCOMPARE(said("W", at("scale.te").string()), QString("the parameter W is f32[16], not f32[3]"));
    QCOMPARE(said("V", at("scale.te").string()),
             QString("the kernel scale has no parameter 'V'; it has W"));
    QCOMPARE(said("V", at("matmul.te").string()), QString("the kernel matmul has no parameters"));
    QVERIFY(!fs::exists(at("unfit")));
  }

  void a_script_comes_along_and_one_that_does_not_fit_leaves_nothing() {
    ExportRequest request{.folder = at("tiled"), .scripts = {{0, kTiled}}};
    auto view = export_alone(at("matmul.te").string(), request);
    QVERIFY2(view && view->shaped == 1, qPrintable(sentence(view)));
    QVERIFY(described("tiled").kernels[0].script.find("split(C.j, factor=8)") != std::string::npos);
    request = {.folder = at("refused"),
               .scripts = {{0, "tilewright schedule 1\nvectorize(C.k)\n"}}};
    view = export_alone(at("matmul.te").string(), request);
    QVERIFY(!view && view.error().code == "step_refused");
    QVERIFY(!fs::exists(at("refused")));
  }

  void a_kernel_of_a_model_takes_its_weights_along() {
    Model model = small_model();
    int row = find_kernel(*model, "gemm_5").value();
    ExportRequest request{.folder = at("gemm"), .threads = 1, .kernel = row};
    auto view =
        export_to_folder(*model, request, environment_.exports, *environment_.backend, *device_);
    QVERIFY2(view && view->tested, qPrintable(sentence(view)));
    QCOMPARE(view->note, std::string());
    auto parsed = described("gemm");
    QCOMPARE(parsed.name, std::string("gemm_5"));
    QCOMPARE(parsed.inputs.size(), size_t(1));
    NDArray weight;
    for (ValueId id : model->plan.steps.back().inputs)
      if (NDArray one = model->after.value(id).constant; one.size() > weight.size()) weight = one;
    std::vector<float> stored = floats(at("gemm") / "parameters.bin");
    bool found = false;
    for (size_t at = 0; at + size_t(weight.size()) <= stored.size(); at += 16)
      found = found || std::memcmp(&stored[at], weight.data(), size_t(weight.byte_size())) == 0;
    QVERIFY2(found, "the weights of the model's file are not in the folder");
  }

  void the_session_exports_kernels_as_they_stand_also_when_nobody_has_run_them_yet() {
    auto session = new_session();
    QVERIFY(session->execute(OpenModel{at("matmul.te").string()}) && session->wait_idle(60));
    QVERIFY(session->execute(ApplyScript{kTiled}) && session->wait_idle(60));
    QVERIFY(session->execute(Export{"cpu", at("session").string()}) && session->wait_idle(120));
    Snapshot now = session->snapshot();
    QVERIFY2(now.exported, now.error ? now.error->sentence.c_str() : "");
    QCOMPARE(now.exported->shaped, 1);
    QVERIFY(described("session").kernels[0].script.find("vectorize(C.j.1)") != std::string::npos);
    // Back at the plain nest it is exported as a model's kernels are: by the target's rules.
    QVERIFY(session->execute(JumpTo{0}) && session->wait_idle(60));
    QVERIFY(session->execute(Export{"cpu", at("session").string()}) && session->wait_idle(120));
    QCOMPARE(session->snapshot().exported->shaped, 0);
  }

  void the_session_exports_a_kernel_of_ones_own_beside_a_model() {
    small_model();
    auto session = new_session();
    QVERIFY(session->execute(OpenModel{at("small.onnx").string()}) && session->wait_idle(60));
    QVERIFY(session->execute(AddKernel{kScale}) && session->wait_idle(60));
    QVERIFY(session->execute(ExportKernel{"scale", "cpu", at("own").string()}) &&
            session->wait_idle(120));
    Snapshot now = session->snapshot();
    QVERIFY2(now.exported, now.error ? now.error->sentence.c_str() : "");
    QCOMPARE(described("own").name, std::string("scale"));
    QVERIFY(session->execute(Export{"cpu", at("whole").string()}) && session->wait_idle(120));
    QCOMPARE(described("whole").name, std::string("small"));
    QVERIFY(!session->execute(ExportKernel{"nothing", "cpu", at("own").string()}));
  }

  void a_project_ships_its_schedules_from_the_command_line() {
    save_project();
    Ran ran = tw({"export", path("p.twproj"), "--out", path("shipped"), "--threads", "1"});
    QVERIFY2(ran.code == 0 && ran.output.contains("1 kernel (1 with your schedules)"),
             qPrintable(ran.output));
    std::string const by_hand = described("shipped").kernels[0].script;
    QVERIFY(by_hand.find("vectorize(C.j.1)") != std::string::npos);
    ran = tw({"export", path("p.twproj"), "--out", path("shipped"), "--threads", "1", "--default"});
    QVERIFY2(ran.code == 0 && !ran.output.contains("by hand"), qPrintable(ran.output));
    QVERIFY(described("shipped").kernels[0].script != by_hand);
  }

  void a_project_that_no_longer_fits_is_refused_with_the_way_out() {
    save_project();
    std::ofstream(at("matmul.te"), std::ios::trunc)
        << "tilewright te 1\nkernel other(A: f32[8]) -> C\n  C[i in 8] = A[i] * 2.0\n";
    QStringList words{"export", path("p.twproj"), "--out", path("unfit"), "--threads", "1"};
    Ran ran = tw(words);
    QVERIFY2(ran.code == 2 &&
                 ran.output.contains(
                     "the project has a schedule for the kernel matmul, which the model does not "
                     "have; --default takes the model without the project's schedules"),
             qPrintable(ran.output));
    QVERIFY(!fs::exists(at("unfit")));
    ran = tw(words + QStringList{"--default"});
    QVERIFY2(ran.code == 0 && ran.output.contains("has changed since the project was saved"),
             qPrintable(ran.output));
    fs::remove(at("matmul.te"));
    ran = tw(words);
    QVERIFY2(ran.code == 2 && ran.output.contains("is missing"), qPrintable(ran.output));
    std::ofstream(at("matmul.te")) << kMatmul;
  }

  void a_project_with_a_cut_says_that_the_package_has_none() {
    session::Project project;
    project.model.source = "sample:dqn";
    project.cut = {{"conv1", "board"}};
    std::ofstream(at("cut.twproj")) << session::to_text(project);
    Ran ran = tw({"export", path("cut.twproj"), "--out", path("cut"), "--threads", "1"});
    QVERIFY2(ran.code == 0 && ran.output.contains("the cut over several devices is not exported"),
             qPrintable(ran.output));
  }

  void a_project_that_holds_its_model_ships_without_the_file() {
    save_project();
    session::Project project = session::open_project(at("p.twproj")).value();
    QVERIFY(session::embed_model(project));
    std::ofstream(at("p.twproj"), std::ios::trunc) << session::to_text(project);
    fs::remove(at("matmul.te"));
    Ran ran = tw({"export", path("p.twproj"), "--out", path("copied"), "--threads", "1"});
    std::ofstream(at("matmul.te")) << kMatmul;
    QVERIFY2(
        ran.code == 0 && ran.output.contains("1 kernel (1 with your schedules)") &&
            ran.output.contains("the copy in the project is used: the model matmul.te is missing"),
        qPrintable(ran.output));
  }

  void the_command_line_exports_kernels_and_compares() {
    Ran ran =
        tw({"export", "example:softmax", "--out", path("cli"), "--threads", "1", "--compare"});
    QVERIFY2(ran.code == 0 && ran.output.contains("s in the window, exported / window"),
             qPrintable(ran.output));
    ran = tw({"export", path("matmul.te"), "--out", path("cli"), "--script", path("tiled.tws"),
              "--json"});
    QVERIFY2(ran.code == 0 && ran.output.contains("\"shaped_kernels\": 1"), qPrintable(ran.output));
    std::ofstream(at("w.bin"), std::ios::binary) << std::string(64, '\0');
    ran = tw({"export", path("scale.te"), "--out", path("cli"), "--param", "W=" + path("w.bin")});
    QVERIFY2(ran.code == 0 && ran.output.contains("the largest value is 0;"),
             qPrintable(ran.output));
    ran =
        tw({"export", path("scale.te"), "--out", path("cli"), "--param", "W=" + path("tiled.tws")});
    QVERIFY2(ran.code == 2 && ran.output.contains("bytes, but W (f32 16) needs 64"),
             qPrintable(ran.output));
    ran = tw({"export", "sample:dqn", "--out", path("cli"), "--script", path("tiled.tws")});
    QVERIFY2(ran.code == 2 && ran.output.contains("there is no kernel 'matmul'"),
             qPrintable(ran.output));
  }

private:
  fs::path at(std::string const& name) const {
    return fs::path(folder_.path().toStdString()) / name;
  }
  QString path(char const* name) const { return QString::fromStdString(at(name).string()); }
  package::Description described(std::string const& name) const {
    return package::parse_description(read_file(at(name) / "model.json").value()).value();
  }
  Ran tw(QStringList const& arguments) const {
    return run(at(""), testing::built("/bin/tw"), arguments,
               QProcessEnvironment::systemEnvironment());
  }
  Result<ExportView> export_alone(std::string const& path, ExportRequest request) {
    request.threads = 1;
    auto model = load_model(path, {}, *environment_.backend);
    if (!model) return std::unexpected(model.error());
    return export_to_folder(**model, request, environment_.exports, *environment_.backend,
                            *device_);
  }
  Model small_model() {
    ResNetOptions options{.name = "small", .blocks = {1}, .width = 8, .image = 33, .classes = 5};
    std::ofstream(at("small.onnx"), std::ios::binary) << write_onnx(build_resnet(options)).value();
    return load_model(at("small.onnx").string(), {}, *environment_.backend).value();
  }
  std::unique_ptr<Session> new_session() {
    return Session::create({environment_.backend,
                            testing::built("/bin/tw-device"),
                            at("cache").string(),
                            1,
                            false,
                            {},
                            environment_.exports})
        .value();
  }
  /// The matrix product, shaped, as the window would save it.
  void save_project() {
    auto session = new_session();
    QVERIFY(session->execute(OpenModel{at("matmul.te").string()}) && session->wait_idle(60));
    QVERIFY(session->execute(ApplyScript{kTiled}) && session->wait_idle(60));
    std::ofstream(at("p.twproj")) << session->save();
  }

  QTemporaryDir folder_;
  Environment environment_;
  std::unique_ptr<Device> device_;
};

QTEST_GUILESS_MAIN(KernelExportTest)
#include "kernel_export_test.moc"
