/// The inside of kernel_module: one function under construction.
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/text.h"
#include "engine/lowering/checks.h"
#include "targets/shared/llvm/device_shell.h"
#include "targets/shared/llvm/instruction_code.h"
#include "targets/shared/llvm/memory_scopes.h"

namespace tw {

using Lines = std::unordered_map<ir::StmtNode const*, int>;

/// What checked code needs to know, and what it gathers.
struct Checks {
  std::vector<std::string> inputs;  // never poisoned
  std::vector<ir::Buffer> outputs;  // what the kernel writes for its caller
  int64_t report_offset = 0;        // bytes into the workspace
  std::vector<CheckedAccess> accesses;
  std::vector<std::string> text;  // lines of the printed kernel
  std::string text_of(int line) const {
    return line > 0 && size_t(line) <= text.size() ? text[size_t(line) - 1] : std::string();
  }
};

/// What all functions of a module share.
struct ModuleParts {
  llvm::Module& module;
  llvm::DIBuilder& debug;
  llvm::DIFile* file;
  Lines const& lines;
  std::vector<ir::Buffer> params;                    // inputs, then outputs
  std::map<std::string, int64_t> workspace_offsets;  // bytes
  InstructionCodes const& instructions;
  MemoryScopes memory;
  Checks* checks = nullptr;             // set: every access is checked
  int tasks = 0;                        // parallel functions so far
  bool past_caches = false;             // some block's stores pass by the caches
  DeviceShell const* device = nullptr;  // set: of the function that is built
};

llvm::Type* type_of(llvm::LLVMContext& context, DType type, int lanes = 1);

/// Builds one function: the kernel itself or the task of a parallel loop.
class Emitter {
public:
  Emitter(ModuleParts& parts, llvm::Function* function, llvm::Value* buffers, llvm::Value* runtime);

  /// A variable of a loop around, known on entry, and the values that it may have.
  void bind(std::string const& name, llvm::Value* value,
            std::optional<arith::Interval> const& values = {});
  void statement(ir::Stmt const& s);
  void begin_body();     ///< ends the entry block
  void begin_checks();   ///< of the kernel's own function, before its statements
  void finish_checks();  ///< after them
  void finish();         ///< return 0
  bool failed() const { return !status_; }
  Status const& status() const { return status_; }

private:
  // emitter_expr.cpp
  llvm::Value* expression(ir::Expr const& e);
  llvm::Value* float_imm(ir::FloatImm const& node);
  llvm::Value* variable(ir::Variable const& node);
  llvm::Value* ramp(ir::Ramp const& node);
  llvm::Value* binary(ir::Binary const& node);
  llvm::Value* integer_binary(ir::BinaryOp op, llvm::Value* a, llvm::Value* b, bool is_signed);
  llvm::Value* shift(ir::BinaryOp op, llvm::Value* a, llvm::Value* b, bool is_signed);
  llvm::Value* float_binary(ir::BinaryOp op, llvm::Value* a, llvm::Value* b);
  llvm::Value* fused_multiply_add(ir::Binary const& node);
  llvm::Value* unary(ir::Unary const& node);
  llvm::Value* float_unary(ir::UnaryOp op, llvm::Value* a);
  llvm::Value* rounded(llvm::Value* v, DType type);  ///< to the type's precision
  llvm::Value* from_memory(llvm::Value* v, DType type);
  llvm::Value* to_memory(llvm::Value* v, DType type);
  using Side = std::function<llvm::Value*()>;
  llvm::Value* select(ir::Select const& node);
  llvm::Value* logic(ir::Binary const& node);
  llvm::Value* chosen(llvm::Value* condition, Side const& a, Side const& b);
  llvm::Value* chosen_by_lane(llvm::Value* condition, Side const& a, Side const& b);
  llvm::Value* chosen_by_branch(llvm::Value* condition, Side const& a, Side const& b);
  llvm::Value* wanted_divisor(llvm::Value* b);
  void leave_where(llvm::Value* divided_by_zero);
  llvm::Value* convert(ir::Cast const& node);
  llvm::Value* instruction(ir::IntrinsicValue const& node);
  llvm::Value* load(ir::Load const& node);
  llvm::Type* stored_type(DType type);  ///< of one element in memory
  llvm::Value* load_one(ir::Load const& node, llvm::Type* element, llvm::Align align);
  llvm::Value* load_lanes(ir::Load const& node, llvm::Type* element, llvm::Align align);
  llvm::Value* gather(ir::Buffer const& buffer, llvm::Value* index, llvm::Value* mask,
                      llvm::Align align);
  llvm::Value* floor_division(llvm::Value* a, llvm::Value* b, bool want_remainder);
  llvm::Value* index_sum(ir::Expr const& e);
  struct SumKind {
    bool is_data = false;  // may wrap
    bool narrow = false;   // in i32
  };
  llvm::Value* sum_of(std::vector<arith::Linear::Term> const& terms);
  llvm::Value* partial_sum(std::vector<arith::Linear::Term> const& terms, size_t depth,
                           SumKind kind);
  llvm::Value* add_terms(llvm::Value* sum, std::vector<arith::Linear::Term> const& terms,
                         SumKind kind);
  llvm::Value* every_second(ir::Buffer const& buffer, llvm::FixedVectorType* type,
                            llvm::Value* address, llvm::Align align);
  llvm::Value* each_alone(ir::Buffer const& buffer, llvm::FixedVectorType* type, llvm::Value* start,
                          llvm::Value* stride, llvm::Align align);
  template <class Access>
  Access* reaching(ir::Buffer const& buffer, Access* access) {
    parts_.memory.tell(access, buffer->name);
    return access;
  }
  llvm::Value* pointer(ir::Buffer const& buffer, ir::Expr const& index);
  llvm::Value* base(ir::Buffer const& buffer);

  // emitter_narrow.cpp
  llvm::Value* narrow(ir::Expr const& e);

  // emitter_stmt.cpp
  void allocation(ir::Alloc const& node);
  void loop(ir::For const& node);
  void named(std::string const& name, Side const& value,
             std::optional<arith::Interval> const& values, ir::Stmt const& body);
  void parallel(ir::For const& node);
  void condition(ir::If const& node);
  void masked(ir::If const& node);
  void store(ir::Store const& node);
  void prefetch(ir::Prefetch const& node);
  void locate(ir::StmtNode const& node);
  std::vector<std::string> registers_written(ir::Stmt const& s) const;
  void unsupported(std::string const& what);
  void fail(std::string code, std::string message);

  // emitter_words.cpp
  void tell_of(ir::For const& node, llvm::Instruction* branch, bool holds_a_tile);
  void store_past_caches(ir::Store const& node, llvm::Value* value, llvm::Value* address,
                         llvm::Align align);
  llvm::Value* begins_at_whole_vector(ir::Buffer const& buffer);
  void finish_stores_past_caches();

  // emitter_checks.cpp
  struct Part {
    llvm::Value* begin;  // element
    int64_t extent;
  };
  void each(llvm::Value* count, std::function<void(llvm::Value*)> const& body);
  Part part_of(ir::Buffer const& buffer);
  void fill_with_poison(ir::Buffer const& buffer);
  llvm::Value* report_word(int64_t word);
  void require(llvm::Value* good, CheckKind kind, ir::Buffer const& buffer,
               std::function<llvm::Value*()> const& element);
  llvm::Value* first_bad(llvm::Value* good, llvm::Value* at);
  llvm::Value* place_of(ir::Buffer const& buffer, ir::Expr const& index);
  void check_range(ir::Buffer const& buffer, ir::Expr const& index, CheckKind kind);
  void check_written(ir::Load const& node, llvm::Value* value);
  void note_copies(ir::Expr const& value);

  struct Level {
    llvm::BasicBlock* entry;                   // dominates everything below this loop
    std::map<std::string, llvm::Value*> sums;  // partial index sums placed in `entry`
    std::string variable;
  };

  ModuleParts& parts_;
  llvm::LLVMContext& context_;
  llvm::Function* function_;
  llvm::IRBuilder<> builder_;
  llvm::Value* buffers_;
  llvm::Value* runtime_;
  llvm::DISubprogram* scope_ = nullptr;
  std::vector<Level> levels_;
  std::map<std::string, llvm::Value*> variables_;
  arith::Ranges ranges_;
  std::vector<std::string> variable_order_;
  std::map<std::string, llvm::Value*> registers_;  // register buffers: their value now
  std::map<std::string, llvm::Value*> bases_;
  std::map<std::string, llvm::Value*> whole_vectors_;  // whether a tensor begins at one
  llvm::Value* mask_ = nullptr;
  std::set<ir::Load const*> copied_;   // what a store takes over as it is
  int line_ = 0;                       // of the statement that is being built
  std::vector<ir::For const*> tasks_;  // parallel loops around, outermost first
  std::map<std::string, std::vector<ir::For const*>> tasks_of_;  // of a workspace tensor's parts
  Status status_;
};

}  // namespace tw
