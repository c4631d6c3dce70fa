/// LLVM's code generation for one kind of processor: a module in, an object and its texts out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/support/base/error.h"
#include "engine/support/base/job.h"
#include "engine/target/code_report.h"
#include "engine/target/code_tier.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace tw {

struct GeneratorRequest;

struct MachineOptions {
  std::string triple;    ///< empty: this process's own
  std::string cpu;       ///< LLVM's name; empty: "generic"
  std::string features;  ///< "+avx2,+fma"
  int vector_bits = 0;   ///< width that code generation may use; 0: as LLVM prefers
  /// The program tw-codegen, whose processes generate the code, so that a fatal error of LLVM is an
  /// error; empty: this process does, and ends with such an error.
  std::string generator = {};

  bool operator==(MachineOptions const&) const = default;
};

/// What `generate` gives. `assembly` holds instructions, labels and data, without debug directives.
struct Emitted {
  std::vector<std::byte> object;
  std::string assembly;
  /// For line i of `assembly` (from 0): the line (from 1) of the module's debug locations that the
  /// instruction comes from; 0 for what is no instruction, or when the module has no locations.
  std::vector<int32_t> source_line;
  int instructions = 0;          ///< in `assembly`
  int instructions_located = 0;  ///< with a location of their own; others take their neighbour's
  std::string ir;                ///< LLVM IR after the tier's passes
};

/// "LLVM 19.1.7": of the library that is loaded, which need not be the one it was built with.
std::string code_generator_version();

/// Shared and immutable: may be used by several threads at once, each with its own LLVM context.
class Machine {
public:
  /// Errors: unknown_triple, unknown_processor.
  static Result<Machine> create(MachineOptions options);

  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;
  ~Machine();

  MachineOptions const& options() const;

  /// Sets the module's triple and data layout; call before building functions that ask for sizes.
  void prepare(llvm::Module& module) const;

  /// Generates code. (Not called "emit", which is a macro of Qt.) The module may be changed by the
  /// tier's passes: kFull runs LLVM's O3 pipeline and aggressive code generation, the others no IR
  /// passes and code generation at "less". Fused multiply-add comes from llvm.fma, llvm.fmuladd and
  /// the `contract` flag only. No call into a C library is introduced by recognizing loops, so
  /// memset and memcpy appear only where the module has them. Errors: invalid_module (with the
  /// verifier's words), code_generation_failed, code_generator_missing, cancelled (where another
  /// process generates).
  Result<Emitted> generate(llvm::Module& module, CodeTier tier, CodeTexts texts = CodeTexts::kAll,
                           StopToken stop = {}) const;

  /// What instructions of `Emitted::assembly` are, and how these lines of it run as a loop. Errors:
  /// code_generation_failed, code_generator_missing, cancelled.
  Result<CodeReport> report(std::string const& assembly, std::span<int32_t const> loop,
                            StopToken stop = {}) const;
  /// What passes and code generation of kFull say of the module. Errors: as `generate`.
  Result<std::vector<CodeRemark>> remarks(llvm::Module& module, StopToken stop = {}) const;

private:
  explicit Machine(MachineOptions options);
  GeneratorRequest request_for(llvm::Module const& module) const;
  Result<Emitted> generate_here(llvm::Module& module, CodeTier tier, CodeTexts texts) const;
  Result<std::vector<CodeRemark>> remarks_here(llvm::Module& module) const;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tw
