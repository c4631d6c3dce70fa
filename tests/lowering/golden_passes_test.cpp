// Files of a kernel before and after one pass: tests/golden/lowering/PASS/*.test.
#include <QDir>
#include <QtTest>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "engine/arith/simplify.h"
#include "engine/ir/interpreter.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/kernel.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/async_copy_order.h"
#include "engine/lowering/pipeline.h"
#include "engine/support/base/random.h"
#include "tests/support/paths.h"
#include "tests/support/thread_passes.h"

using namespace tw;

namespace {

using Sections = std::map<std::string, std::string>;

/// By the name of its file.
std::map<std::string, Pass> const& passes() {
  static std::map<std::string, Pass> const table = [] {
    std::map<std::string, Pass> all;
    for (PassRow const& row : pass_table()) all[row.file] = row.make();
    return all;
  }();
  return table;
}

/// What sets a configuration register.
ir::Intrinsic setter_of(std::string const& name) {
  return ir::declare({.name = "set_" + name,
                      .params = {ir::scalar_param("value")},
                      .sets = {{name, ir::var("value")}}})
      .value();
}

/// 1 KB of scratchpad that copies fill, beside a memory of a thread as other targets have it.
Target const& target_with_a_pad() {
  static Target const target{
      .name = "golden",
      .hardware = {},
      .scopes = {{.name = kGlobalScope, .doc = "main memory", .reach = IndexBounds::kCopies},
                 {.name = "pad", .doc = "where it computes", .bytes = 1 << 10},
                 {.name = "local", .doc = "of a thread", .shared_by = Level::kThread}},
      .configure = {setter_of("mode"), setter_of("stride")},
      .types = {DType::kF32, DType::kI32, DType::kI64}};
  return target;
}

/// The same with the declarations of a kernel as its instructions.
Target with_instructions(ir::KernelIr const& kernel) {
  Target target = target_with_a_pad();
  for (ir::Intrinsic const& one : ir::intrinsics_of(kernel.host.body))
    target.intrinsics.push_back({one});
  return target;
}

QDir golden() { return QDir(testing::source("/tests/golden/lowering")); }

/// "--- name" starts a section; what stands before the first one says what the case is.
Sections sections_of(QString const& path) {
  std::ifstream stream(path.toStdString());
  Sections sections;
  std::string name = "case";
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("--- "))
      name = line.substr(4);
    else
      sections[name] += line + "\n";
  return sections;
}

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

/// The parameters before the first one that is written.
size_t input_count(ir::KernelIr const& kernel) {
  std::set<std::string> written;
  ir::walk_writes(kernel.host.body,
                  [&](ir::Touched const& at) { written.insert(at.buffer->name); });
  size_t count = 0;
  while (count < kernel.host.params.size() && !written.contains(kernel.host.params[count]->name))
    ++count;
  return count;
}

ir::InterpretOptions interpret_options(ir::KernelIr const& kernel) {
  ir::InterpretOptions options;
  for (ir::SizeParam const& size : kernel.host.sizes) options.sizes.push_back(size.high);
  options.shuffle_seed = 3;
  return options;
}

std::vector<NDArray> inputs_of(ir::KernelIr const& kernel) {
  ir::Substitution sizes;
  for (ir::SizeParam const& size : kernel.host.sizes)
    sizes[size.var.as<ir::Variable>()->name] = ir::int_imm(size.high);
  Rng rng(7);
  std::vector<NDArray> inputs;
  for (size_t i = 0; i < input_count(kernel); ++i) {
    ir::Buffer const& buffer = kernel.host.params[i];
    Shape shape;
    for (ir::Expr const& extent : buffer->shape)
      shape.push_back(*ir::as_int(arith::simplify(ir::substitute(extent, sizes))));
    NDArray array = NDArray::create(buffer->type, shape).value();
    for (int64_t e = 0; e < array.size(); ++e) array.set_value(e, double(rng.below(5)));
    inputs.push_back(std::move(array));
  }
  return inputs;
}

/// Of a kernel that reads its sizes from a tensor before all others.
std::vector<NDArray> with_sizes_first(ir::KernelIr const& before, std::vector<NDArray> inputs) {
  NDArray sizes = NDArray::create(DType::kI64, {int64_t(before.host.sizes.size())}).value();
  for (size_t i = 0; i < before.host.sizes.size(); ++i)
    sizes.set_value(int64_t(i), double(before.host.sizes[i].high));
  inputs.insert(inputs.begin(), std::move(sizes));
  return inputs;
}

/// Both compute the same numbers, whatever the shapes of their parameters. `sharing`: what threads
/// of the result share; null: it has none, or they may run one after the other.
void compare_values(ir::KernelIr const& before, Pass const& pass, ir::KernelIr const& after,
                    ir::Sharing const* sharing) {
  std::vector<NDArray> inputs = inputs_of(before), flat = inputs_of(after);
  if (!before.host.sizes.empty() && after.host.sizes.empty())
    flat = with_sizes_first(before, inputs);
  ir::InterpretOptions in_order = interpret_options(before);
  // What starts a sum that threads share is the first of its iterations.
  if (pass.name == "factor_thread_sums")
    in_order.shuffle_seed = 0;
  else
    in_order.sharing = sharing;
  auto expected = ir::interpret(before, inputs.size(), inputs, in_order);
  QVERIFY2(expected, sentence(expected).c_str());
  ir::InterpretOptions options = interpret_options(after);
  options.registers = pass.contract.gives.contains(Invariant::kSetRegisters);
  options.sharing = sharing;
  auto actual = ir::interpret(after, flat.size(), flat, options);
  QVERIFY2(actual, sentence(actual).c_str());
  QVERIFY(!expected->empty());
  QCOMPARE(actual->size(), expected->size());
  for (size_t i = 0; i < actual->size(); ++i) {
    QCOMPARE((*actual)[i].size(), (*expected)[i].size());
    for (int64_t e = 0; e < (*actual)[i].size(); ++e)
      QCOMPARE((*actual)[i].value_at(e), (*expected)[i].value_at(e));
  }
}

/// Kernels for blocks and threads run as such, with their barriers: in any order the same, and what
/// the loops compute one after the other where these are all in their places.
void compare_threads(ir::KernelIr const& before, Pass const& pass, ir::KernelIr const& after) {
  Target const& target = *testing::thread_machine();
  bool is_launch = pass.name == "unify_thread_bindings";
  bool waits = pass.name == "insert_async_waits";
  bool in_order = is_launch || pass.name == "interleave_virtual_threads";
  auto code = is_launch || waits ? run_pass(insert_barriers(), after, PassContext{target}) : after;
  QVERIFY2(code, sentence(code).c_str());
  ir::Sharing sharing = target.sharing();
  std::vector<NDArray> inputs = inputs_of(before);
  Result<std::vector<NDArray>> expected;
  if (in_order) expected = ir::interpret(before, inputs.size(), inputs);
  if (pass.name == "split_roles") {  // as the same threads do one after the other
    auto waits_inside = run_pass(insert_async_waits(), before, PassContext{target}).value();
    for (QueueIntrinsics const& one : target.queues)
      waits_inside =
          with_async_waits(waits_inside, target, {one.name, one.commit, one.wait}).value();
    auto meeting = run_pass(insert_barriers(), waits_inside, PassContext{target}).value();
    expected = ir::interpret(meeting, inputs.size(), inputs, {.sharing = &sharing});
  }
  for (uint64_t seed = 0; seed < 5; ++seed) {
    auto actual =
        ir::interpret(*code, inputs.size(), inputs, {.shuffle_seed = seed, .sharing = &sharing});
    QVERIFY2(actual, sentence(actual).c_str());
    if (!in_order && pass.name != "split_roles" && seed == 0) expected = actual;
    QVERIFY2(expected, sentence(expected).c_str());
    for (size_t i = 0; i < actual->size(); ++i)
      QCOMPARE((*actual)[i].hash(), (*expected)[i].hash());
  }
}

Invariants after(Pass const& pass, Invariants hold) {
  for (Invariant lost : pass.contract.gives_up) hold.erase(lost);
  hold.insert(pass.contract.gives.begin(), pass.contract.gives.end());
  return hold;
}

/// With TW_UPDATE_TEXTS set, writes what came out instead of comparing; the change is then
/// reviewed.
void compare_with(QString const& path, Sections sections, std::string const& name,
                  std::string const& actual) {
  if (qEnvironmentVariableIsSet("TW_UPDATE_TEXTS")) {
    std::string target = !sections["target"].empty() ? "--- target\n" + sections["target"] : "";
    std::ofstream(path.toStdString()) << sections["case"] << target << "--- before\n"
                                      << sections["before"] << "--- " << name << "\n"
                                      << actual;
    return;
  }
  QCOMPARE(QString::fromStdString(actual), QString::fromStdString(sections[name]));
}

}  // namespace

class GoldenPassesTest : public QObject {
  Q_OBJECT
private slots:
  void every_pass_has_its_files() {
    QStringList files = QDir(testing::source("/engine/lowering/passes"))
                            .entryList({"*.cpp"}, QDir::Files, QDir::Name);
    QStringList known, folders = golden().entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
    for (auto const& [name, pass] : passes()) known << QString::fromStdString(name);
    for (QString& file : files) file.chop(4);
    QCOMPARE(known, files);
    QCOMPARE(folders, files);
    for (QString const& name : files) {
      QDir folder(golden().filePath(name));
      QVERIFY2(folder.entryList({"*.test"}).size() >= 3, qPrintable(name));
      // What the pass must leave as it is.
      QVERIFY2(!folder.entryList({"nothing_to_do*.test"}).isEmpty(), qPrintable(name));
    }
  }

  void a_pass_gives_the_kernel_of_the_file_data() {
    QTest::addColumn<QString>("path");
    for (auto const& [name, pass] : passes()) {
      QDir folder(golden().filePath(QString::fromStdString(name)));
      for (QString const& file : folder.entryList({"*.test"}, QDir::Files, QDir::Name))
        QTest::newRow((name + "/" + file.toStdString()).c_str()) << folder.filePath(file);
    }
  }
  void a_pass_gives_the_kernel_of_the_file() {
    QFETCH(QString, path);
    Sections sections = sections_of(path);
    Pass const& pass = passes().at(path.section('/', -2, -2).toStdString());
    QVERIFY2(sections["case"].size() > 10, "the case says what it is");
    auto before = ir::parse_kernel(sections["before"], "before");
    QVERIFY2(before, sentence(before).c_str());
    QCOMPARE(QString::fromStdString(ir::print(*before).text),
             QString::fromStdString(sections["before"]));
    Status fit = verify_kernel(*before, pass.contract.needs);
    QVERIFY2(fit, sentence(fit).c_str());
    bool threads = sections["target"] == "threads\n", declared = sections["target"] == "declared\n";
    Target target = threads ? *testing::thread_machine() : target_with_a_pad();
    if (declared) target = with_instructions(*before);
    if (sections["target"] == "thread sums\n") target = *testing::thread_machine_with_sums();
    if (sections["target"] == "shuffles\n") target = *testing::thread_machine_with_shuffles();
    auto result = run_pass(pass, *before, PassContext{target});
    if (!result) return compare_with(path, sections, "refused", to_sentence(result.error()) + "\n");
    Status holds = verify_kernel(*result, after(pass, pass.contract.needs));
    QVERIFY2(holds, (sentence(holds) + "\n" + ir::print(*result).text).c_str());
    auto again = ir::parse_kernel(ir::print(*result).text, "after");
    QVERIFY2(again && ir::equal(*again, *result), sentence(again).c_str());
    compare_with(path, sections, "after", ir::print(*result).text);
    if (path.section('/', -1).startsWith("nothing_to_do")) QVERIFY(ir::equal(*before, *result));
    if (threads && pass.name != "sink_allocations") return compare_threads(*before, pass, *result);
    ir::Sharing const sharing = target.sharing();
    compare_values(*before, pass, *result, target.shuffles.lanes > 0 ? &sharing : nullptr);
  }
};

QTEST_GUILESS_MAIN(GoldenPassesTest)
#include "golden_passes_test.moc"
