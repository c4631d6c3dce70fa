// Functions of f32 as devices compute them, made for this machine's processor: their error over all
// floats (TW_TEST_FLOATS=1 takes each, else one of some hundreds). What a GPU rounds on its own,
// the reciprocal of tanh, is taken to be wrong by a unit in either direction.
#include <QtTest>
#ifndef Q_MOC_RUN  // it does not come to an end of these
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "targets/shared/llvm/single_math.h"
#endif
#include <bit>
#include <cmath>

#include "engine/runtime/module.h"
#include "targets/shared/link/link.h"
#include "targets/shared/llvm/machine.h"

using namespace tw;

namespace {

using Builder = llvm::IRBuilder<>;
using Function = void (*)(float const* x, float const* y, float* out, int64_t count);
using Build = std::function<llvm::Value*(Builder&, llvm::Value* x, llvm::Value* y)>;

/// 1 / x, so many units in the last place beside the right one.
Reciprocal reciprocal(int off) {
  return [off](Builder& b, llvm::Value* x) {
    llvm::Value* right = b.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1), x);
    llvm::Value* moved =
        b.CreateAdd(b.CreateBitCast(right, b.getInt32Ty()), b.getInt32(uint32_t(off)));
    llvm::Value* is_number = b.CreateFCmpOGT(right, llvm::ConstantFP::get(x->getType(), 0x1p-126));
    return b.CreateSelect(is_number, b.CreateBitCast(moved, b.getFloatTy()), right);
  };
}

/// for (i = 0; i < count; ++i) out[i] = build(x[i], y[i]);
void build_loop(llvm::Module& module, Build const& build) {
  llvm::LLVMContext& context = module.getContext();
  Builder b(context);
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* type =
      llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, pointer, b.getInt64Ty()}, false);
  auto* f = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "f", module);
  for (unsigned i = 0; i < 3; ++i) f->addParamAttr(i, llvm::Attribute::NoAlias);
  auto* entry = llvm::BasicBlock::Create(context, "", f);
  auto* body = llvm::BasicBlock::Create(context, "", f);
  auto* after = llvm::BasicBlock::Create(context, "", f);
  b.SetInsertPoint(entry);
  b.CreateBr(body);
  b.SetInsertPoint(body);
  auto* i = b.CreatePHI(b.getInt64Ty(), 2);
  i->addIncoming(b.getInt64(0), entry);
  auto at = [&](unsigned argument) { return b.CreateGEP(b.getFloatTy(), f->getArg(argument), i); };
  llvm::Value* x = b.CreateLoad(b.getFloatTy(), at(0));
  llvm::Value* y = b.CreateLoad(b.getFloatTy(), at(1));
  b.CreateStore(build(b, x, y), at(2));
  llvm::Value* next = b.CreateAdd(i, b.getInt64(1));
  i->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpSLT(next, f->getArg(3)), body, after);
  b.SetInsertPoint(after);
  b.CreateRetVoid();
}

/// Units in the last place of f32 between a value and what it should be.
double units(float got, double want) {
  float nearest = float(want);
  if (got == nearest || (std::isnan(got) && std::isnan(nearest))) return 0;
  if (!std::isfinite(got) || !std::isfinite(nearest)) return 1e9;
  double step = std::ldexp(1.0, std::max(std::ilogb(nearest), -126) - 23);
  return std::fabs(double(got) - want) / step;
}

struct Worst {
  double error = 0;
  float x = 0, y = 0, got = 0;
};

}  // namespace

class SingleMathTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (!__builtin_cpu_supports("fma")) QSKIP("this processor has no fused products and sums");
    machine_.emplace(Machine::create({.triple = {}, .cpu = "x86-64-v3", .features = {}}).value());
  }

  void functions_are_within_two_units_of_the_last_place() {
    struct Row {
      char const* name;
      double (*right)(double);
      Build build;
    };
    auto alone = [](llvm::Value* (*build)(Builder&, llvm::Value*)) {
      return [build](Builder& b, llvm::Value* x, llvm::Value*) { return build(b, x); };
    };
    auto angle = [](bool cosine) {
      return [cosine](Builder& b, llvm::Value* x, llvm::Value*) {
        return emit_single_sin_cos(b, x, cosine);
      };
    };
    auto tangent = [](int off) {
      return [off](Builder& b, llvm::Value* x, llvm::Value*) {
        return emit_single_tanh(b, x, reciprocal(off));
      };
    };
    for (Row const& row :
         {Row{"exp", std::exp, alone(emit_single_exp)},
          Row{"log", std::log, alone(emit_single_log)}, Row{"tanh", std::tanh, tangent(0)},
          Row{"tanh, less", std::tanh, tangent(-1)}, Row{"tanh, more", std::tanh, tangent(1)},
          Row{"erf", std::erf, alone(emit_single_erf)}, Row{"sin", std::sin, angle(false)},
          Row{"cos", std::cos, angle(true)}}) {
      Function function = compiled(row.build);
      Worst worst = over_all(function, row.right);
      qInfo("%-10s at most %.2f units in the last place, at %g", row.name, worst.error,
            double(worst.x));
      QVERIFY2(
          worst.error <= 2,
          qPrintable(
              QString("%1(%2) = %3").arg(row.name).arg(double(worst.x)).arg(double(worst.got))));
    }
  }

  void powers_are_within_three_units_of_the_last_place() {
    std::vector<float> some{0,         -0.0f, 1,        -1,       2,        -2,    0.5f,
                            -0.5f,     3,     -3,       1e-40f,   -1e-40f,  1e38f, INFINITY,
                            -INFINITY, NAN,   16777216, 16777215, 0x1p-149f};
    std::vector<float> x, y;
    for (float a : some)
      for (float b : some) x.push_back(a), y.push_back(b);
    uint64_t state = 7;
    auto word = [&] {
      return uint32_t((state = state * 6364136223846793005u + 1442695040888963407u) >> 32);
    };
    while (x.size() < (1 << 22)) {
      float a = std::bit_cast<float>(word());
      float wanted = float(int32_t(word())) * 0x1p-31f * 90;  // of the exponent
      float log = std::log(std::fabs(a));
      bool often = word() % 4 != 0;
      x.push_back(word() % 8 == 0 ? a : std::fabs(a));
      y.push_back(often ? wanted / log : float(int32_t(word() % 41)) - 20);
    }
    for (int off : {0, -1, 1}) {
      auto built = [off](Builder& b, llvm::Value* v, llvm::Value* w) {
        return emit_single_pow(b, v, w, reciprocal(off));
      };
      std::vector<float> out(x.size());
      compiled(built)(x.data(), y.data(), out.data(), int64_t(x.size()));
      Worst worst;
      for (size_t i = 0; i < x.size(); ++i) {
        double error = units(out[i], std::pow(double(x[i]), double(y[i])));
        if (error > worst.error) worst = {error, x[i], y[i], out[i]};
      }
      qInfo("pow        at most %.2f units in the last place, at %g to %g", worst.error,
            double(worst.x), double(worst.y));
      QVERIFY2(worst.error <= 3, qPrintable(QString("%1 ^ %2 = %3")
                                                .arg(double(worst.x))
                                                .arg(double(worst.y))
                                                .arg(double(worst.got))));
    }
  }

private:
  Function compiled(Build const& build) {
    llvm::LLVMContext context;
    llvm::Module module("functions", context);
    machine_->prepare(module);
    build_loop(module, build);
    auto emitted = machine_->generate(module, CodeTier::kFull, CodeTexts::kNone);
    if (!emitted) qFatal("%s", to_sentence(emitted.error()).c_str());
    library_ = link_shared_library({&emitted->object, 1}).value();
    loaded_.push_back(LoadedModule::load(library_).value());
    return reinterpret_cast<Function>(loaded_.back().symbol("f").value());
  }

  static Worst over_all(Function function, double (*right)(double)) {
    constexpr uint64_t kFew = 509, kAtOnce = 1 << 16;
    uint64_t step = qEnvironmentVariableIsSet("TW_TEST_FLOATS") ? 1 : kFew;
    std::vector<float> x(kAtOnce), out(kAtOnce);
    Worst worst;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += step * kAtOnce) {
      for (uint64_t i = 0; i < kAtOnce; ++i)
        x[i] = std::bit_cast<float>(uint32_t(std::min<uint64_t>(bits + i * step, UINT32_MAX)));
      function(x.data(), x.data(), out.data(), int64_t(kAtOnce));
      for (uint64_t i = 0; i < kAtOnce; ++i) {
        double error = units(out[i], right(double(x[i])));
        if (error > worst.error) worst = {error, x[i], 0, out[i]};
      }
    }
    return worst;
  }

  std::optional<Machine> machine_;
  std::vector<std::byte> library_;
  std::vector<LoadedModule> loaded_;
};

QTEST_GUILESS_MAIN(SingleMathTest)
#include "single_math_test.moc"
