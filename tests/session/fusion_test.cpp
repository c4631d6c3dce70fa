// Fusion as a person chooses it: what it would cost, and what runs then.
#include "engine/session/fusion.h"

#include <QtTest>

#include "app/shared/environment.h"
#include "engine/backend/backend.h"
#include "engine/device/local_device.h"
#include "engine/session/model/fusion_knobs.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/project/project.h"
#include "engine/te/expected.h"
#include "tests/support/paths.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

std::string sentence_of(auto const& result) { return result ? "" : result.error().message; }

std::vector<EdgeDecision> const& edges_of(LoadedModel const& model) {
  return model.after.decisions;
}

}  // namespace

class FusionTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    environment_ = make_environment().value();
    device_ = std::make_unique<LocalDevice>(LocalDeviceOptions{testing::built("/bin/tw-device")});
    model_ = load_model("sample:dqn", {}, backend()).value();
  }

  /// Each edge the other way, compiled and run: the same results, whatever was fused.
  void every_edge_of_a_network_runs_the_other_way() {
    std::map<std::string, int> rules;
    std::vector<NDArray> expected = outputs(*model_);
    for (EdgeDecision const& edge : edges_of(*model_)) {
      if (edge.fixed) continue;
      Point point{{fusion_knob(edge.edge), fusion_value(!edge.fused)}};
      auto other = arranged(*model_, point, backend());
      QVERIFY2(other, (edge.edge + ": " + sentence_of(other)).c_str());
      QCOMPARE(arrangement_of(**other), point);
      te::Expected judged;
      for (NDArray const& output : expected) judged.push_back(te::stored_output(output));
      QVERIFY2(te::judge(outputs(**other), judged).equal, edge.edge.c_str());
      ++rules[edge.rule];
    }
    QVERIFY2(rules.size() >= 3, "the network has too few kinds of edges");
    for (auto const& [rule, times] : rules) qInfo("%s: %d edges", rule.c_str(), times);
  }

  void an_edge_says_what_the_other_way_costs() {
    EdgeDecision const* fused = nullptr;
    for (EdgeDecision const& edge : edges_of(*model_))
      if (edge.fused && edge.rule == "epilogue" && !fused) fused = &edge;  // the largest images
    QVERIFY(fused);
    auto edge = fusion_edge_of(*model_, fused->from.value, fused->to.value);
    QVERIFY(edge && edge->fused && !edge->fixed);
    QCOMPARE(edge->other_way, fused->edge + ".fusion=separate");
    FusionCosts costs = fusion_costs(*model_, edge->other_way, backend(), nullptr);
    QVERIFY2(costs.failure.empty(), costs.failure.c_str());
    // One kernel becomes two; what lies between them is written and read.
    QCOMPARE(costs.then.runs, costs.now.runs + 1);
    QCOMPARE(costs.then.bytes, costs.now.bytes + 2 * edge->bytes);
    QCOMPARE(costs.then.operations, costs.now.operations);
    auto rows = rows_of(costs);
    QCOMPARE(rows.size(), size_t(3));  // no roofs, no times
    QCOMPARE(rows[0].change, 0);
    QCOMPARE(rows[1].change, 1);
    QCOMPARE(rows[2].now, std::string("1"));
    QCOMPARE(rows[2].then, std::string("2"));
  }

  void what_cannot_be_is_refused_with_its_reason() {
    auto refusal = [&](std::string const& knob, std::string const& value) {
      auto made = load_model("sample:dqn", {{}, {}, {{knob, value}}}, backend());
      return made ? "" : made.error().code + ": " + made.error().message;
    };
    QCOMPARE(refusal("no>edge.fusion", "apart"),
             std::string("unknown_arrangement: the model has no edge that 'no>edge.fusion' could "
                         "be about"));
    std::string known = fusion_knob(edges_of(*model_)[0].edge);
    QCOMPARE(refusal(known, "maybe"),
             "unknown_arrangement: " + known + " cannot be 'maybe': it is fused or separate");
  }

  void a_session_plans_the_model_anew_and_back() {
    auto session = testing::make_session(false);
    QVERIFY(session->execute(OpenSample{"dqn"}));
    QVERIFY(session->wait_idle(120));
    GraphEdgeView asked;
    for (GraphEdgeView const& edge : session->snapshot().graph->edges)
      if (edge.fused && asked.from < 0) asked = edge;
    std::shared_ptr<FusionEdge const> edge;
    auto known = [&] {
      edge = fusion_edge(*session, asked.from, asked.to);
      return edge && edge->costs;
    };
    QTRY_VERIFY_WITH_TIMEOUT(known(), 20000);
    QVERIFY(edge->fused && !edge->chosen);
    size_t groups = session->snapshot().graph->groups.size();
    QVERIFY(session->execute(Arrange{edge->other_way}));
    QVERIFY(session->wait_idle(120));
    QVERIFY(!session->snapshot().error);
    QCOMPARE(session->snapshot().graph->groups.size(), groups + 1);
    auto [from, to] = find_fusion_edge(*session, *edge);
    auto now = fusion_edge(*session, from, to);
    QVERIFY(now && !now->fused && now->chosen);
    QCOMPARE(now->other_way, edge->edge + ".fusion=fused");
    Project saved = parse_project(session->save(), "f").value();
    QCOMPARE(saved.model.arrangement, Point({{edge->edge + ".fusion", "separate"}}));
    // A project brings it back.
    auto other = testing::make_session(false);
    QVERIFY(other->restore(to_text(saved)));
    QVERIFY(other->wait_idle(120));
    QCOMPARE(other->snapshot().graph->groups.size(), groups + 1);
    // And the rule has the last word when it is asked to.
    QVERIFY(session->execute(Arrange{now->other_way}));
    QVERIFY(session->wait_idle(120));
    QCOMPARE(session->snapshot().graph->groups.size(), groups);
    QVERIFY(parse_project(session->save(), "f")->model.arrangement.empty());
    auto refused = session->execute(Arrange{"a>b.fusion=separate"});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, std::string("unknown_arrangement"));
  }

  void kernels_that_stay_the_same_keep_their_times() {
    auto session = testing::make_session(false);
    QVERIFY(session->execute(OpenSample{"dqn"}));
    QVERIFY(session->wait_idle(120));
    QVERIFY(session->execute(MeasureModel{}));
    QVERIFY(session->wait_idle(120));
    std::map<std::string, double> before = times_of(*session);
    QVERIFY(before.size() >= 4);
    EdgeDecision const* fused = nullptr;
    for (EdgeDecision const& edge : edges_of(*model_))
      if (edge.fused && !edge.fixed && edge.rule == "epilogue" && !fused) fused = &edge;
    QVERIFY(fused && session->execute(Arrange{fused->edge + ".fusion=apart"}));  // its former word
    QVERIFY(session->wait_idle(120));
    std::map<std::string, double> after = times_of(*session);
    size_t kept = 0, fresh = 0;
    for (KernelRow const& row : session->snapshot().kernels->rows) {
      kept += before.contains(row.name);
      fresh += !before.contains(row.name);
      QVERIFY2(!before.contains(row.name) || after[row.name] == before[row.name], row.name.c_str());
    }
    QVERIFY(kept >= before.size() - 1 && fresh >= 1);
    QVERIFY(!session->snapshot().kernels->total_ms);  // the model is another one
    QVERIFY(session->execute(Arrange{fused->edge + ".fusion=fused"}));
    QVERIFY(session->wait_idle(120));
    QCOMPARE(times_of(*session).size(), before.size() - 1);
  }

private:
  /// Of the kernels that were measured.
  static std::map<std::string, double> times_of(Session& session) {
    std::map<std::string, double> times;
    for (KernelRow const& row : session.snapshot().kernels->rows)
      if (row.time_ms) times[row.name] = *row.time_ms;
    return times;
  }
  Backend const& backend() const { return *environment_.backend; }

  std::vector<NDArray> outputs(LoadedModel const& model) {
    RunOptions options{.rounds = 1, .threads = 1};
    options.inputs = random_inputs(model, 7).value();
    return run_model(model, options, backend(), *device_).value().outputs;
  }

  Environment environment_;
  std::unique_ptr<Device> device_;
  Model model_;
};

QTEST_GUILESS_MAIN(FusionTest)
#include "fusion_test.moc"
