#include "targets/cuda/compiler/warpgroup_code.h"

#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>

#include "targets/cuda/compiler/warpgroup_units.h"
#include "targets/shared/llvm/device_shell.h"

namespace tw::cuda {
namespace {

using Operands = std::vector<llvm::Value*>;

/// "$0, $1, $2" or "%0, %1, %2"
std::string registers(char const* mark, int64_t first, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) text += fmt::format("{}{}{}", i ? ", " : "", mark, first + i);
  return text;
}

int64_t number(llvm::Value* value) { return llvm::cast<llvm::ConstantInt>(value)->getSExtValue(); }

/// Values that an instruction takes from places and puts back there.
struct Kept {
  std::vector<llvm::Value*> places;
  std::vector<llvm::Type*> types;
};

/// Runs instructions that read and write the kept values as $0, $1, ..., and then read `others`.
/// All threads of a warp stay together, and no access of memory goes past it.
void run(llvm::IRBuilder<>& builder, std::string const& text, Kept const& kept,
         Operands const& others) {
  std::string results, ties, rest;
  std::vector<llvm::Value*> arguments;
  std::vector<llvm::Type*> types;
  for (size_t i = 0; i < kept.places.size(); ++i) {
    bool real = kept.types[i]->isFloatTy();
    results += real ? "=f," : "=r,";
    ties += fmt::format("{},", i);
    arguments.push_back(builder.CreateAlignedLoad(kept.types[i], kept.places[i], llvm::Align(4)));
  }
  for (llvm::Value* other : others) {
    rest += "l,";
    arguments.push_back(other);
  }
  for (llvm::Value* one : arguments) types.push_back(one->getType());
  llvm::Type* result = builder.getVoidTy();
  if (kept.types.size() == 1) result = kept.types[0];
  if (kept.types.size() > 1) result = llvm::StructType::get(builder.getContext(), kept.types);
  auto* code = llvm::InlineAsm::get(llvm::FunctionType::get(result, types, false), text,
                                    results + ties + rest + "~{memory}", true);
  llvm::CallInst* made = builder.CreateCall(code, arguments);
  made->addFnAttr(llvm::Attribute::Convergent);
  for (size_t i = 0; i < kept.places.size(); ++i) {
    llvm::Value* one = kept.types.size() == 1 ? static_cast<llvm::Value*>(made)
                                              : builder.CreateExtractValue(made, unsigned(i));
    builder.CreateAlignedStore(one, kept.places[i], llvm::Align(4));
  }
}

/// Start address, then what else the descriptor says.
llvm::Value* described(llvm::IRBuilder<>& builder, llvm::Value* begin, llvm::Value* rest) {
  llvm::Value* address = builder.CreatePtrToInt(begin, builder.getInt64Ty());
  address = builder.CreateLShr(builder.CreateAnd(address, builder.getInt64(0x3ffff)), uint64_t(4));
  return builder.CreateOr(address, rest);
}

std::string instruction(WarpgroupUnit const& unit) {
  return fmt::format("wgmma.mma_async.sync.aligned.{}", unit.shape());
}

/// Of integers there are no signs to say.
bool has_signs(WarpgroupUnit const& unit) { return unit.sum == DType::kF32; }

void multiply(llvm::IRBuilder<>& builder, WarpgroupUnit const& unit, Operands const& operands) {
  auto sums = size_t(unit.sums());
  llvm::Type* type = unit.sum == DType::kF32 ? builder.getFloatTy() : builder.getInt32Ty();
  Kept kept{{operands.begin(), operands.begin() + std::ptrdiff_t(sums)},
            std::vector<llvm::Type*>(sums, type)};
  std::string words = has_signs(unit) ? ", 1, 1" : "";
  if (unit.has_transposes())
    words += fmt::format(", {}, {}", number(operands[sums + 4]), number(operands[sums + 5]));
  std::string text = fmt::format("{} {{{}}}, ${}, ${}, 1{};", instruction(unit),
                                 registers("$", 0, unit.sums()), 2 * sums, 2 * sums + 1, words);
  run(builder, text, kept,
      {described(builder, operands[sums], operands[sums + 2]),
       described(builder, operands[sums + 1], operands[sums + 3])});
}

/// Of `operands` from `first` on: begin, number and kind of each tensor's sums.
Kept kept_sums(llvm::IRBuilder<>& builder, Operands const& operands, size_t first) {
  Kept kept;
  for (size_t i = first; i + 2 < operands.size(); i += 3) {
    llvm::Type* type = number(operands[i + 2]) != 0 ? builder.getFloatTy() : builder.getInt32Ty();
    for (int64_t at = 0; at < number(operands[i + 1]); ++at) {
      kept.places.push_back(builder.CreateConstInBoundsGEP1_64(type, operands[i], uint64_t(at)));
      kept.types.push_back(type);
    }
  }
  return kept;
}

std::string product_text(WarpgroupUnit const& unit) {
  int64_t sums = unit.sums();
  std::string kept, words = has_signs(unit) ? ", 1, 1" : "", inputs = "\"l\"(tw_a), \"l\"(tw_b)";
  for (int64_t i = 0; i < sums; ++i)
    kept += fmt::format("{}\"+{}\"(*%{})", i ? ", " : "", has_signs(unit) ? "f" : "r", i);
  if (unit.has_transposes()) {
    words += fmt::format(", %%{}, %%{}", sums + 2, sums + 3);
    inputs += fmt::format(", \"n\"(%{}), \"n\"(%{})", sums + 4, sums + 5);
  }
  auto descriptor = [&](char const* name, int64_t begin) {
    return fmt::format(
        "  unsigned long long {} = ((unsigned)__cvta_generic_to_shared(%{}) & 0x3ffff) >> 4 | "
        "%{};\n",
        name, sums + begin, sums + begin + 2);
  };
  return "{\n" + descriptor("tw_a", 0) + descriptor("tw_b", 1) +
         fmt::format(
             "  asm volatile(\"{} \"\n"
             "               \"{{{}}}, \"\n"
             "               \"%%{}, %%{}, 1{};\"\n"
             "               : {}\n"
             "               : {} : \"memory\");\n"
             "}}",
             instruction(unit), registers("%%", 0, sums), sums, sums + 1, words, kept, inputs);
}

constexpr char kFenceWord[] = "wgmma.fence.sync.aligned;",
               kCommitWord[] = "wgmma.commit_group.sync.aligned;",
               kSharedWord[] = "fence.proxy.async.shared::cta;";

}  // namespace

void add_warpgroup_calls(DeviceShell& shell) {
  for (WarpgroupUnit const& unit : warpgroup_units())
    shell.calls[unit.name] = [&unit](llvm::IRBuilder<>& builder, Operands const& operands) {
      multiply(builder, unit, operands);
    };
  shell.calls[kCommitProducts] = [](llvm::IRBuilder<>& builder, Operands const&) {
    run(builder, kCommitWord, {}, {});
  };
  shell.calls[kFenceShared] = [](llvm::IRBuilder<>& builder, Operands const&) {
    run(builder, kSharedWord, {}, {});
  };
  shell.calls[kFenceProducts] = [](llvm::IRBuilder<>& builder, Operands const& operands) {
    run(builder, kFenceWord, kept_sums(builder, operands, 0), {});
  };
  shell.calls[kWaitProducts] = [](llvm::IRBuilder<>& builder, Operands const& operands) {
    run(builder, fmt::format("wgmma.wait_group.sync.aligned {};", number(operands[0])),
        kept_sums(builder, operands, 1), {});
  };
}

void add_warpgroup_texts(std::map<std::string, std::string, std::less<>>& calls) {
  auto plain = [](char const* instruction) {
    return fmt::format("asm volatile(\"{}\" ::: \"memory\");", instruction);
  };
  for (WarpgroupUnit const& unit : warpgroup_units()) calls[unit.name] = product_text(unit);
  calls[kCommitProducts] = plain(kCommitWord);
  calls[kFenceShared] = plain(kSharedWord);
  // Sums that a compiler keeps in registers must not be touched across it, nor become other ones by
  // another type: ptxas would put a fence between.
  auto kept = [](int first) {
    return fmt::format(
        "%each {} 3 _Pragma(\"unroll\") for (int tw_i = 0; tw_i < %+1; ++tw_i) if (%+2) asm "
        "volatile(\"\" : \"+f\"(((float*)%+0)[tw_i])); else asm volatile(\"\" : "
        "\"+r\"(((unsigned*)%+0)[tw_i]));",
        first);
  };
  calls[kFenceProducts] = kept(0) + "\n" + plain(kFenceWord);
  calls[kWaitProducts] =
      "asm volatile(\"wgmma.wait_group.sync.aligned %%0;\" :: \"n\"(%0) : \"memory\");\n" + kept(1);
}

}  // namespace tw::cuda
