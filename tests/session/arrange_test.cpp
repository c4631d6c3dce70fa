// Layouts and algorithms of a model: chosen by hand, tried on a device, kept in projects.
#include <QtTest>
#include <nlohmann/json.hpp>

#include "app/shared/environment.h"
#include "engine/device/local_device.h"
#include "engine/session/arranging.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/project/project.h"
#include "engine/support/files.h"
#include "engine/te/expected.h"
#include "tests/support/paths.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

std::string sentence_of(auto const& result) { return result ? "" : result.error().message; }

}  // namespace

class ArrangeTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    environment_ = make_environment().value();
    device_ = std::make_unique<LocalDevice>(LocalDeviceOptions{testing::built("/bin/tw-device")});
    model_ = load_model("sample:dqn", {}, backend()).value();
  }

  void what_is_chosen_is_what_the_kernels_are() {
    std::vector<Knob> const& knobs = arrangement_knobs(*model_);
    QVERIFY(knobs.size() >= 3);
    QCOMPARE(knobs.front().name, std::string("channel_block"));
    QVERIFY(arrangement_of(*model_).empty());
    for (Knob const& knob : knobs)
      for (std::string const& value : knob.values) {
        Point point{{knob.name, value}};
        auto other = arranged(*model_, point, backend());
        QVERIFY2(other, sentence_of(other).c_str());
        bool by_rule = value == knob.values[size_t(knob.preset)];
        QCOMPARE(arrangement_of(**other), by_rule ? Point() : point);
        auto loaded = load_model("sample:dqn", {{}, {}, point}, backend());
        QCOMPARE(hashes(**loaded), hashes(**other));
        // Its images are plain by rule: biases are added as images of their own.
        bool same = by_rule || value == "plain";
        QVERIFY2((hashes(**other) == hashes(*model_)) == same, point_text(point).c_str());
        judge(*model_, **other);
      }
  }

  void what_there_is_not_is_refused() {
    auto refusal = [&](Point const& point) {
      return sentence_of(load_model("sample:dqn", {{}, {}, point}, backend()));
    };
    QVERIFY2(refusal({{"block", "8"}})
                 .starts_with("the model has no choice 'block'; it has channel_block, "),
             refusal({{"block", "8"}}).c_str());
    QCOMPARE(refusal({{"channel_block", "12"}}),
             std::string("channel_block cannot be '12': it is one of 8, 16, 32, plain"));
    QCOMPARE(
        sentence_of(load_model("example:matmul", {{}, {}, {{"channel_block", "8"}}}, backend())),
        std::string("the model has no choice 'channel_block'; it has none"));
  }

  void a_device_decides() {
    std::vector<std::string> told;
    ArrangeRequest request{.threads = 1};
    request.on_tried = [&](TriedArrangement const& tried) {
      told.push_back(tried.knob + "=" + tried.value);
    };
    auto result = arrange_model(model_, request, backend(), *device_);
    QVERIFY2(result, sentence_of(result).c_str());
    QCOMPARE(told.size(), result->tried.size());
    QVERIFY(told.size() >= 3);  // of the blocks at least
    Point expected;
    for (TriedArrangement const& tried : result->tried) {
      // By rule it is plain; against another one that was kept before it is a choice like any.
      if (tried.value == "plain" && expected.empty()) {
        QCOMPARE(tried.why, std::string("the kernels are the same"));
        continue;
      }
      QVERIFY2(tried.why.empty(), tried.why.c_str());
      QVERIFY(tried.ratio > 0);
      QVERIFY(!tried.kept || tried.ratio < 1);
      if (tried.kept) expected[tried.knob] = tried.value;
      qInfo("%s=%s: %.3f%s", tried.knob.c_str(), tried.value.c_str(), tried.ratio,
            tried.kept ? ", kept" : "");
    }
    QCOMPARE(arrangement_of(*result->model), expected);
    judge(*model_, *result->model);
  }

  void what_is_fixed_is_not_tried() {
    ArrangeRequest request{.threads = 1};
    for (Knob const& knob : arrangement_knobs(*model_))
      if (knob.name != "channel_block") request.fixed[knob.name] = knob.value();
    auto result = arrange_model(model_, request, backend(), *device_);
    QVERIFY2(result, sentence_of(result).c_str());
    QCOMPARE(result->tried.size(), size_t(3));
    std::stop_source over;
    over.request_stop();
    request.enough = over.get_token();
    QVERIFY(arrange_model(model_, request, backend(), *device_)->tried.empty());
  }

  void a_project_keeps_it() {
    QTemporaryDir folder;
    std::string file = folder.filePath("p.twproj").toStdString();
    Model other = arranged(*model_, {{"channel_block", "8"}}, backend()).value();
    TunedModel tuned;
    QVERIFY(write_tuned_project(*other, tuned, "sample:dqn", "", {}, backend(), file));
    auto opened = shaped_model(file, {}, backend(), folder.path().toStdString());
    QVERIFY2(opened, sentence_of(opened).c_str());
    QCOMPARE(hashes(*opened->model), hashes(*other));
    QCOMPARE(opened->sentence, std::string());
    // What somebody says on the way goes before.
    auto said =
        shaped_model(file, {{}, {}, {{"blocks", "plain"}}}, backend(), folder.path().toStdString());
    QCOMPARE(arrangement_of(*said->model), Point({{"channel_block", "plain"}}));
  }

  void a_project_of_another_target_opens_by_rule() {
    QTemporaryDir folder;
    std::string file = folder.filePath("p.twproj").toStdString();
    Project project;
    project.model.source = "sample:dqn";
    project.model.arrangement = {{"warps", "4"}};
    QVERIFY(write_file(file, to_text(project)));
    auto opened = shaped_model(file, {}, backend(), folder.path().toStdString());
    QVERIFY2(opened, sentence_of(opened).c_str());
    QCOMPARE(hashes(*opened->model), hashes(*model_));
    QVERIFY2(opened->sentence.starts_with(
                 "layouts, algorithms and fusion are the default here: the model has "
                 "no choice 'warps'"),
             opened->sentence.c_str());
  }

  void a_damaged_one_is_no_project() {
    Project project;
    project.model.source = "sample:dqn";
    project.model.arrangement = {{"channel_block", "8"}};
    std::string text = to_text(project);
    QCOMPARE(parse_project(text, "f")->model.arrangement, project.model.arrangement);
    std::string::size_type at = text.find("\"8\"");
    QVERIFY(at != std::string::npos);
    text.replace(at, 3, "8");
    QCOMPARE(
        sentence_of(parse_project(text, "f")),
        std::string("the project is damaged: 'channel_block' of its model's arrangement is not a "
                    "word"));
  }

  void a_session_opens_the_model_again() {
    auto session = testing::make_session(false);
    QVERIFY(session->execute(OpenSample{"dqn"}));
    QVERIFY(session->wait_idle(120));
    auto find = [&](std::string const& name) {
      for (size_t row = 0; row < session->snapshot().kernels->rows.size(); ++row)
        if (session->snapshot().kernels->rows[row].name == name) return int(row);
      return -1;
    };
    // One kernel that the layouts change, and one that they do not.
    std::string changed = session->snapshot().kernels->rows[0].name,
                same = session->snapshot().kernels->rows.back().name;
    auto undo_all = [&](std::string const& kernel) {
      QVERIFY(session->execute(SelectKernel{find(kernel)}));
      QVERIFY(session->execute(JumpTo{0}));
    };
    undo_all(changed);
    undo_all(same);
    QCOMPARE(session->snapshot().history->current, 0);
    QVERIFY(session->execute(Arrange{"blocks=8"}));  // as older journals say it
    QVERIFY(session->wait_idle(120));
    QVERIFY(!session->snapshot().error);
    QCOMPARE(session->snapshot().model->choices[0].value, std::string("8"));
    QVERIFY(session->execute(SelectKernel{find(same)}));
    QCOMPARE(session->snapshot().history->nodes.size(), size_t(2));
    QCOMPARE(session->snapshot().history->current, 0);
    Project saved = parse_project(session->save(), "f").value();
    QCOMPARE(saved.model.arrangement, Point({{"channel_block", "8"}}));
    QCOMPARE(std::ranges::count(saved.kernels, changed, &ProjectKernel::name), 1);
    // What was shaped comes back with its layout.
    QVERIFY(session->execute(Arrange{"channel_block=16"}));
    QVERIFY(session->wait_idle(120));
    QVERIFY(session->execute(SelectKernel{find(changed)}));
    QCOMPARE(session->snapshot().history->current, 0);
    QVERIFY(session->snapshot().model->choices[0].value ==
            session->snapshot().model->choices[0].by_rule);
    auto refused = session->execute(Arrange{"channel_block=7"});
    QVERIFY(!refused);
    QCOMPARE(refused.error().message,
             std::string("channel_block cannot be '7': it is one of 8, 16, 32, plain"));
    QCOMPARE(session->execute(Arrange{"channel_block"}).error().code,
             std::string("bad_arrangement"));
  }

  /// Another layout's history of the same kernel may stand first, as on another kind of device.
  void a_kernel_takes_the_history_of_its_own_layout() {
    auto session = testing::make_session(false);
    QVERIFY(session->execute(OpenSample{"dqn"}));
    QVERIFY(session->wait_idle(120));
    QVERIFY(session->execute(JumpTo{0}));
    Project saved = parse_project(session->save(), "f").value();
    QCOMPARE(saved.kernels.size(), size_t(1));
    ProjectKernel const own = saved.kernels[0];
    ProjectKernel other = own;
    other.computes = "00000000deadbeef";
    nlohmann::ordered_json history = *own.history;
    history["nodes"][0]["note"] = "of another layout";
    other.history = std::make_shared<nlohmann::ordered_json const>(std::move(history));
    saved.kernels = {other, own};
    QVERIFY(session->restore(to_text(saved)));
    QVERIFY(session->wait_idle(120));
    Snapshot now = session->snapshot();
    QVERIFY2(!now.error, now.error ? now.error->sentence.c_str() : "");
    QVERIFY(now.history->nodes[0].note.empty());
    Project again = parse_project(session->save(), "f").value();
    QCOMPARE(again.kernels.size(), size_t(2));  // nothing is lost
    QCOMPARE(again.kernels[0].computes, own.computes);
    QCOMPARE(again.kernels[1].computes, other.computes);
  }

private:
  Backend const& backend() const { return *environment_.backend; }

  static std::vector<uint64_t> hashes(LoadedModel const& model) {
    std::vector<uint64_t> hashes;
    for (KernelTask const& kernel : model.plan.kernels) hashes.push_back(kernel.hash);
    return hashes;
  }

  std::vector<NDArray> outputs(LoadedModel const& model) {
    RunOptions options{.rounds = 1, .threads = 1};
    options.inputs = random_inputs(model, 7).value();
    return run_model(model, options, backend(), *device_).value().outputs;
  }

  void judge(LoadedModel const& by_rule, LoadedModel const& other) {
    te::Expected expected;
    for (NDArray const& output : outputs(by_rule)) expected.push_back(te::stored_output(output));
    QVERIFY(te::judge(outputs(other), expected).equal);
  }

  Environment environment_;
  std::unique_ptr<Device> device_;
  Model model_;
};

QTEST_GUILESS_MAIN(ArrangeTest)
#include "arrange_test.moc"
