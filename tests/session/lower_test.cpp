// A stage of a kernel's code does no more work than it needs.
#include <QtTest>

#include "app/shared/environment.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/views/schedule_views.h"

using namespace tw;
using namespace tw::session;

namespace {

/// Counts what is asked of the backend behind it.
class CountingBackend final : public Backend {
public:
  explicit CountingBackend(Backend const& backend) : Backend(backend.target()), backend_(backend) {}
  std::span<Pass const> passes() const override { return backend_.passes(); }
  std::span<CodeTextKind const> texts() const override { return backend_.texts(); }
  std::string generator() const override { return backend_.generator(); }
  Result<Artifact> generate(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                            StopToken stop) const override {
    ++generated;
    return backend_.generate(kernel, tier, texts, stop);
  }
  Result<std::vector<std::byte>> link(std::span<CodeParts const> kernels) const override {
    ++linked;
    return backend_.link(kernels);
  }
  Result<Schedule> templated(ir::Program const& program, Decisions& decisions) const override {
    return backend_.templated(program, decisions);
  }
  Result<RoofProbes> roof_probes() const override { return backend_.roof_probes(); }
  std::optional<analysis::TimeModel> model_time(ir::Program const& program,
                                                analysis::Locality const& locality,
                                                Roofs const& roofs) const override {
    return backend_.model_time(program, locality, roofs);
  }

  mutable int generated = 0, linked = 0;

private:
  Backend const& backend_;
};

}  // namespace

class LowerTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    environment_ = make_environment().value();
    model_ = load_model("example:softmax", {}, *environment_.backend).value();
  }

  void stages_before_code_generate_none() {
    CountingBackend backend(*environment_.backend);
    for (CodeStage const& stage : code_stages(*environment_.backend)) {
      if (is_of_target(stage.kind)) continue;
      auto text = lower_kernel(*model_, 0, {}, stage.key, backend);
      QVERIFY2(text && text->lines.size() > 1, stage.key.c_str());
    }
    QCOMPARE(backend.generated, 0);
    QCOMPARE(backend.linked, 0);
    QVERIFY(lower_kernel(*model_, 0, {}, backend.texts().back().key, backend));
    QCOMPARE(backend.generated, 1);
  }

  void an_unknown_stage_is_refused_before_the_script_is_read() {
    auto text = lower_kernel(*model_, 0, {"s", "nonsense"}, "ptx", *environment_.backend);
    QVERIFY(!text);
    QVERIFY(text.error().message.starts_with("there is no stage 'ptx'; the stages are expression"));
  }

private:
  Environment environment_;
  Model model_;
};

QTEST_GUILESS_MAIN(LowerTest)
#include "lower_test.moc"
