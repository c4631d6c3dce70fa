// What every target of the table can do, or says why not: the CPU, a made-up scratchpad machine and
// C source, which enter as every target does, by their folders alone.
#include <fmt/ranges.h>

#include <QtTest>

#include "app/shared/environment.h"
#include "engine/backend/target_table.h"
#include "engine/compile/optimize.h"
#include "engine/device/device_runtime_table.h"
#include "engine/device/local_device.h"
#include "engine/execute/compiled_model.h"
#include "engine/graph/reference.h"
#include "engine/importers/from_foreign.h"
#include "engine/ir/interpreter.h"
#include "engine/measure/kernel_bench.h"
#include "engine/schedule/trace.h"
#include "engine/session/cases/export_cases.h"
#include "engine/session/model/model.h"
#include "engine/session/use_cases.h"
#include "engine/te/te.h"
#include "tests/support/line_models.h"
#include "tests/support/paths.h"

using namespace tw;

namespace {

struct Row {
  char const* name;
  char const* text;
};

constexpr Row kKernels[] = {
    {"add", "kernel add(X: f32[40], B: f32[40]) -> Y\n  Y[i in 40] = X[i] + B[i]\n"},
    {"product",
     "kernel product(A: f32[12, 20], B: f32[20, 16]) -> C\n"
     "  C[i in 12, j in 16] = sum[k in 20] A[i, k] * B[k, j]\n"},
    {"two stages",
     "kernel mlp(X: f32[4, 8], W: f32[8, 8], B: f32[8]) -> Y\n"
     "  S[i in 4, j in 8] = sum[k in 8] X[i, k] * W[k, j]\n"
     "  Y[i in 4, j in 8] = max(S[i, j] + B[j], 0)\n"},
    {"whole numbers",
     "kernel digits(X: i32[6, 7]) -> Y\n  Y[i in 6, j in 7]: i32 = X[i, j] * 3:i32 - X[i, 6-j]\n"},
};

ir::Program program_of(char const* text) {
  auto kernel = te::parse_kernel(std::string("tilewright te 1\n") + text);
  return te::to_program(kernel.value()).value();
}

NDArray random_array(Shape const& shape, uint64_t seed) {
  NDArray array = NDArray::create(DType::kF32, shape).value();
  Rng rng(seed);
  for (float& v : array.as<float>()) v = float(rng.normal());
  return array;
}

enum class Weights { kKnown, kInputs };

/// Three dense convolutions and a depthwise one between them; 16 channels.
Graph small_network(Weights weights) {
  ImportedModel model = testing::model_of(
      {"a = Conv x w", "b = Relu a", "c = Conv b d", "e = Conv c p", "f = Add e b", "y = Conv f p"},
      {1, 3, 5, 4});
  std::map<std::string, Shape> const shapes{
      {"w", {16, 3, 1, 1}}, {"d", {16, 1, 3, 3}}, {"p", {16, 16, 1, 1}}};
  for (auto const& [name, shape] : shapes) {
    if (weights == Weights::kKnown) model.graph.initializers[name] = random_array(shape, name[0]);
    ForeignValue input{name, ForeignKind::kTensor, DType::kF32, std::vector<ForeignDim>()};
    for (int64_t extent : shape) input.dims->push_back({extent, ""});
    if (weights == Weights::kInputs) model.graph.inputs.push_back(input);
  }
  model.graph.nodes[2].attributes["kernel_shape"] = std::vector<int64_t>{3, 3};
  for (int i : {0, 3, 5})
    model.graph.nodes[size_t(i)].attributes["kernel_shape"] = std::vector<int64_t>{1, 1};
  model.graph.nodes[2].attributes["group"] = int64_t(16);
  model.graph.nodes[2].attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
  return build_graph(model).value();
}

}  // namespace

class TargetsTest : public QObject {
  Q_OBJECT
private slots:
  void the_table_holds_the_folders() {
    std::set<std::string> names;
    for (TargetEntry const* entry : target_table()) {
      QVERIFY(names.insert(entry->name).second);
      std::vector<std::string> spellings = entry->spellings();
      QVERIFY(!spellings.empty());
      QCOMPARE(spellings[0], entry->name);
      for (std::string const& spelling : spellings) {
        Hardware hardware = target_hardware(spelling).value();
        QCOMPARE(hardware.target, entry->name);
        QVERIFY(entry->matches(hardware));
        auto backend = create_backend(hardware).value();
        Target const& target = backend->target();
        QCOMPARE(target.name, entry->name);
        QVERIFY(!target.scopes.empty());
        QCOMPARE(target.scopes[0].name, std::string(kGlobalScope));
      }
    }
    QVERIFY(names.contains("scratchpad") && names.contains("c_source"));
    auto unknown = target_hardware("abacus");
    QVERIFY(!unknown);
    QCOMPARE(unknown.error().code, std::string("unknown_target"));
    QVERIFY(unknown.error().message.find("scratchpad") != std::string::npos);
    QVERIFY(!create_backend(Hardware{.target = "abacus"}));
  }

  void every_target_runs_kernels_as_its_rule_shapes_them_data() { rows(); }
  void every_target_runs_kernels_as_its_rule_shapes_them() {
    QFETCH(QString, target);
    QFETCH(int, kernel);
    if (auto found = find_runtime(target.toStdString()); !found)
      QSKIP(qPrintable(QString::fromStdString(found.error().message)));
    auto backend = backend_of(target);
    if (!computes_with_floats(*backend)) QSKIP("the target computes with bytes alone");
    ir::Program program = program_of(kKernels[kernel].text);
    auto schedule = backend->default_schedule(program);
    QVERIFY(schedule);
    QCOMPARE(schedule->target().name, target.toStdString());
    auto code = compile_kernel(schedule->program(), *backend, CodeTier::kFull);
    QVERIFY2(code, code ? "" : code.error().message.c_str());
    LocalDevice device(
        {.program = testing::built("/tests/test-device"), .target = target.toStdString()});
    QCOMPARE(device.describe({})->target, target.toStdString());
    auto inputs = random_kernel_inputs(program.inputs, 7).value();
    KernelBench bench(device, program, inputs);
    auto outputs = bench.run(*code, {});
    QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
    auto want = ir::interpret(program, inputs).value();
    for (size_t i = 0; i < want.size(); ++i)
      for (int64_t e = 0; e < want[i].size(); ++e)
        QVERIFY2(std::abs(want[i].value_at(e) - (*outputs)[i].value_at(e)) <=
                     1e-5 * (1 + std::abs(want[i].value_at(e))),
                 qPrintable(QString("element %1").arg(e)));
  }

  void what_a_machine_lacks_to_be_a_target_is_said() {
    QByteArray path = qgetenv("PATH");
    qputenv("PATH", "/nowhere");
    auto found = find_runtime("c_source");
    qputenv("PATH", path);
    QVERIFY(!found);
    QCOMPARE(found.error().code, std::string("no_such_hardware"));
    QCOMPARE(found.error().message,
             std::string("this machine has no hardware for the target 'c_source': there is no C "
                         "compiler 'cc' on the path"));
  }

  void every_target_computes_a_network_in_its_own_layouts_data() { target_rows(); }
  void every_target_computes_a_network_in_its_own_layouts() {
    QFETCH(QString, target);
    auto backend = backend_of(target);
    Graph graph = small_network(Weights::kKnown);
    auto chosen = optimize(graph, *backend);
    QVERIFY2(chosen, chosen ? "" : to_sentence(chosen.error()).c_str());
    // What one asks for is not there for another.
    QString text = QString::fromStdString(to_text(*chosen));
    QCOMPARE(text.contains("as ABCD4a"), target == "scratchpad");
    QVERIFY(target != "scratchpad" || !text.contains("ABCD16"));
    Plan plan = make_plan(*chosen).value();
    auto as_scheduled = [&](KernelTask const& task, std::vector<NDArray> const& inputs,
                            std::vector<NDArray>& outputs) -> Status {
      TRY_ASSIGN(ir::Program program, te::to_program(task.kernel));
      TRY_ASSIGN(Schedule schedule, backend->default_schedule(program));
      TRY_ASSIGN(outputs, ir::interpret(schedule.program(), inputs));
      return {};
    };
    std::vector<NDArray> inputs{random_array({1, 3, 5, 4}, 5)};
    auto made = execute(*chosen, plan, inputs, as_scheduled);
    QVERIFY2(made, made ? "" : to_sentence(made.error()).c_str());
    QVERIFY(compare((*made)[0], reference_run(graph, inputs).value()[0], 1e-5).equal);
  }

  /// A pass that one target adds runs for that one alone, and what it did is told.
  void a_target_has_graph_passes_of_its_own_data() { target_rows(); }
  void a_target_has_graph_passes_of_its_own() {
    QFETCH(QString, target);
    auto backend = backend_of(target);
    ImportedModel model = testing::model_of({"y = Gemm x w b"}, {2, 3});
    model.graph.initializers["w"] = random_array({3, 4}, 1);
    model.graph.initializers["b"] = random_array({4}, 2);
    Graph graph = build_graph(model).value();
    auto stages = run_graph_passes(graph, {}, backend->graph_passes());
    QVERIFY2(stages, stages ? "" : to_sentence(stages.error()).c_str());
    int64_t split = 0;
    for (GraphStage const& stage : *stages) {
      QVERIFY(!stage.title.empty());
      if (stage.name == "split_biases") split += stage.counts.at("biases split");
    }
    QCOMPARE(split, target == "scratchpad" ? 1 : 0);
    Graph chosen = optimize(graph, *backend).value();
    QCOMPARE(chosen.nodes.size(), target == "scratchpad" ? 2u : 1u);
    NDArray x = random_array({2, 3}, 3);
    QVERIFY(
        compare(reference_run(chosen, {x}).value()[0], reference_run(graph, {x}).value()[0], 1e-5)
            .equal);
  }

  void a_machine_changes_layouts_where_it_asked_for_it() {
    auto backend = backend_of("scratchpad");
    Graph graph = small_network(Weights::kInputs);
    Graph chosen = optimize(graph, *backend).value();
    QVERIFY(changed_bytes(chosen) > 0);
    QVERIFY(to_text(chosen).find("= conv by im2col(") != std::string::npos);
    Plan plan = make_plan(chosen).value();
    LocalDevice device(
        {.program = testing::built("/tests/test-device"), .target = backend->target().name});
    auto network = CompiledModel::create(chosen, plan, *backend, device, {});
    QVERIFY2(network, network ? "" : to_sentence(network.error()).c_str());
    std::vector<NDArray> inputs;
    for (ValueId id : graph.inputs)
      inputs.push_back(random_array(*graph.value(id).shape(), uint64_t(id.value)));
    auto made = (*network)->run(inputs);
    QVERIFY2(made, made ? "" : to_sentence(made.error()).c_str());
    QVERIFY(compare((*made)[0], reference_run(graph, inputs).value()[0], 1e-5).equal);
  }

  void every_target_lowers_to_text_at_every_stage_data() { rows(); }
  void every_target_lowers_to_text_at_every_stage() {
    QFETCH(QString, target);
    QFETCH(int, kernel);
    auto backend = backend_of(target);
    if (!computes_with_floats(*backend)) QSKIP("the target computes with bytes alone");
    Schedule schedule = backend->default_schedule(program_of(kKernels[kernel].text)).value();
    auto stages = lower(schedule.program(), backend->target(), backend->passes());
    QVERIFY2(stages, stages ? "" : stages.error().message.c_str());
    for (LoweredStage const& stage : *stages) QVERIFY(!ir::print(stage.kernel).text.empty());
  }

  void a_script_names_the_memories_of_its_target_data() { target_rows(); }
  void a_script_names_the_memories_of_its_target() {
    QFETCH(QString, target);
    auto backend = backend_of(target);
    Schedule schedule(program_of(kKernels[2].text), backend->shared_target());
    std::vector<std::string> memories = backend->target().scope_names();
    for (std::string const& memory : memories)
      QVERIFY(schedule.apply(parse_step("set_scope(S, scope=" + memory + ")").value()));
    auto refused = schedule.apply(parse_step("set_scope(S, scope=attic)").value());
    QVERIFY(!refused);
    std::string expected =
        fmt::format("set_scope: scope must be one of {}", fmt::join(memories, ", "));
    QCOMPARE(refused.error().message, expected);
  }

  void what_does_not_fit_a_memory_is_refused_with_the_sum() {
    auto backend = backend_of("scratchpad");
    ir::Program large =
        program_of("kernel large(X: f32[3000], B: f32[3000]) -> Y\n  Y[i in 3000] = X[i] + B[i]\n");
    Schedule schedule = backend->default_schedule(large).value();
    auto code = compile_kernel(schedule.program(), *backend, CodeTier::kFull);
    QVERIFY(!code);
    QCOMPARE(code.error().code, std::string("scope_overflow"));
    for (char const* part : {"'pad' has 16 KB", "X_cache 12 KB", "B_cache 12 KB"})
      QVERIFY2(code.error().message.find(part) != std::string::npos, code.error().message.c_str());
    // By parts it fits: the copies stand inside of a loop.
    Script script = parse_script(
                        "i.0, i.1 = split(Y.i, factor=300)\n"
                        "cache_write(Y, scope=pad)\n"
                        "cache_read(Y, tensor=X, scope=pad)\n"
                        "cache_read(Y, tensor=B, scope=pad)\n",
                        "", true)
                        .value();
    auto shaped = replay(Schedule(large, backend->shared_target()), script);
    QVERIFY2(shaped, shaped ? "" : shaped.error().message.c_str());
    for (std::string line : {"reverse_compute_at(Y_write, Y.i.0)", "compute_at(X_cache, Y.i.0)",
                             "compute_at(B_cache, Y.i.0)"}) {
      auto next = shaped->apply(parse_step(line).value());
      QVERIFY2(next, (line + ": " + (next ? "" : next.error().message)).c_str());
      shaped = *next;
    }
    auto fits = compile_kernel(shaped->program(), *backend, CodeTier::kFull);
    QVERIFY2(fits, fits ? "" : fits.error().message.c_str());
  }

  void what_computes_where_only_copies_reach_is_refused() {
    auto backend = backend_of("scratchpad");
    auto code = compile_kernel(program_of(kKernels[0].text), *backend, CodeTier::kFull);
    QVERIFY(!code);
    QCOMPARE(code.error().code, std::string("reached_by_copies"));
    QVERIFY(code.error().message.find("cache_read") != std::string::npos);
  }

  void a_product_goes_to_the_matrix_unit_and_copies_are_copies() {
    auto backend = backend_of("scratchpad");
    Schedule schedule = backend->default_schedule(program_of(kKernels[1].text)).value();
    auto stages = lower(schedule.program(), backend->target(), backend->passes());
    QVERIFY(stages);
    std::string text = ir::print(stages->back().kernel).text;
    for (char const* part : {"call mma(C_cache[", "call copy_f32(20, A_cache[", "call copy_f32("})
      QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    // What the unit does not fit is computed all the same.
    Schedule odd = backend
                       ->default_schedule(program_of("kernel odd(A: f32[5, 3], B: f32[3, 7]) -> C\n"
                                                     "  C[i in 5, j in 7] = sum[k in 3] A[i, k] * "
                                                     "B[k, j]\n"))
                       .value();
    auto plain = lower(odd.program(), backend->target(), backend->passes());
    QVERIFY(plain && ir::print(plain->back().kernel).text.find("mma") == std::string::npos);
  }

  void a_target_without_roofs_is_timed_all_the_same() {
    Environment environment = make_environment("local:scratchpad").value();
    std::string text = std::string("te:tilewright te 1\n") + kKernels[0].text;
    auto model = session::load_model(text, {}, *environment.backend).value();
    LocalDevice device({.program = testing::built("/tests/test-device"), .target = "scratchpad"});
    QTemporaryDir folder;
    auto machine = session::machine_view(*environment.backend, device, folder.path().toStdString(),
                                         true, false, {}, {});
    QVERIFY2(machine, machine ? "" : machine.error().message.c_str());
    QVERIFY(!machine->roofs_known && !machine->rates);
    session::NamedScript rule{"rule",
                              session::default_script(*model, 0, *environment.backend).value()};
    auto diff = session::diff_scripts(*model, 0, rule, rule, {"program", true}, *machine,
                                      *environment.backend, device, {}, {});
    QVERIFY2(diff, diff ? "" : diff.error().message.c_str());
    QVERIFY(!diff->states.values.empty() && diff->states.roofline.trail.empty());
  }

  void every_target_exports_or_says_why_not_data() { target_rows(); }
  void every_target_exports_or_says_why_not() {
    QFETCH(QString, target);
    QTemporaryDir folder;
    Environment environment = make_environment().value();
    std::string text = std::string("te:tilewright te 1\n") + kKernels[0].text;
    auto model = session::load_model(text, {}, *environment.backend);
    QVERIFY2(model, model ? "" : model.error().message.c_str());
    LocalDevice device({.program = testing::built("/tests/test-device"),
                        .target = environment.backend->target().name});
    session::ExportRequest request{.folder = folder.filePath("out").toStdString(),
                                   .target = target.toStdString()};
    auto view = session::export_to_folder(**model, request, environment.exports,
                                          *environment.backend, device);
    QCOMPARE(std::filesystem::exists(request.folder / "model.json"), view.has_value());
    if (view) return;
    // A kernel of floats is nothing for an accelerator beside a processor.
    bool beside = processor_beside(target.toStdString()).has_value();
    bool stays = beside && view.error().code == "nothing_to_offload";
    QVERIFY2(stays || view.error().code == "no_runtime", view.error().message.c_str());
    if (!target.contains(':'))
      QVERIFY(view.error().message.find("'" + target.toStdString() + "'") != std::string::npos);
    QVERIFY(!std::filesystem::exists(request.folder));
  }

  void a_type_that_a_target_lacks_is_refused_data() { target_rows(); }
  void a_type_that_a_target_lacks_is_refused() {
    QFETCH(QString, target);
    auto backend = backend_of(target);
    constexpr DType kFloats[] = {DType::kF64, DType::kF16};
    auto lacking = std::ranges::find_if_not(
        kFloats, [&](DType type) { return backend->target().computes_with(type); });
    if (lacking == std::end(kFloats)) return;  // it has them all
    std::string type(to_text(*lacking));
    // As elements, and on the way from elements to elements that it has.
    for (std::string const& text :
         {fmt::format("kernel elements(X: {0}[4]) -> Y\n  Y[i in 4]: {0} = X[i] + X[i]\n", type),
          fmt::format("kernel between(X: f32[4]) -> Y\n"
                      "  Y[i in 4]: f32 = f32({0}(X[i]) * {0}(X[i]))\n",
                      type)}) {
      auto schedule = backend->default_schedule(program_of(text.c_str())).value();
      auto code = compile_kernel(schedule.program(), *backend, CodeTier::kFull);
      QVERIFY2(!code, text.c_str());
      QCOMPARE(code.error().code, std::string("unsupported_type"));
      std::string named =
          computes_with_floats(*backend) || text.contains("elements") ? type : "f32";
      QVERIFY2(code.error().message.find(named) != std::string::npos, code.error().message.c_str());
    }
  }

private:
  void target_rows() {
    QTest::addColumn<QString>("target");
    for (std::string const& name : target_names()) QTest::newRow(name.c_str()) << name.c_str();
  }
  void rows() {
    QTest::addColumn<QString>("target");
    QTest::addColumn<int>("kernel");
    for (TargetEntry const* entry : target_table())
      for (int i = 0; i < int(std::size(kKernels)); ++i)
        QTest::newRow((entry->name + " " + kKernels[i].name).c_str())
            << QString::fromStdString(entry->name) << i;
  }
  static bool computes_with_floats(Backend const& backend) {
    return backend.target().computes_with(DType::kF32);
  }
  static std::shared_ptr<Backend const> backend_of(QString const& target) {
    return create_backend(target_hardware(target.toStdString()).value()).value();
  }
};

QTEST_GUILESS_MAIN(TargetsTest)
#include "targets_test.moc"
