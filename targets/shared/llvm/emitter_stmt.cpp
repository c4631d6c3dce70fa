#include <fmt/format.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/Intrinsics.h>

#include <set>

#include "engine/arith/places.h"
#include "engine/ir/annotations.h"
#include "engine/ir/fields.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"
#include "targets/shared/llvm/emitter.h"
#include "targets/shared/llvm/narrow_indices.h"
#include "targets/shared/llvm/words.h"

namespace tw {

using namespace ir;
using llvm::Value;

namespace {

/// Null: the device has nothing that stands for the call.
DeviceShell::Call const* code_of(IntrinsicCall const& node, DeviceShell const* device) {
  if (!device) return nullptr;
  auto found = device->calls.find(node.intrinsic->name);
  return found == device->calls.end() ? nullptr : &found->second;
}

IntrinsicCall const& made_call(IntrinsicCall const& node, DeviceShell const* device) {
  if (!device) return node;
  auto own = device->own_calls->find(&node);
  return own == device->own_calls->end() ? node : own->second.to<IntrinsicCall>();
}

}  // namespace

Emitter::Emitter(ModuleParts& parts, llvm::Function* function, Value* buffers, Value* runtime)
    : parts_(parts),
      context_(parts.module.getContext()),
      function_(function),
      builder_(context_),
      buffers_(buffers),
      runtime_(runtime) {
  auto* type = parts_.debug.createSubroutineType(parts_.debug.getOrCreateTypeArray({}));
  scope_ =
      parts_.debug.createFunction(parts_.file, function->getName(), "", parts_.file, 1, type, 1,
                                  llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  function_->setSubprogram(scope_);
  // The entry block only sets up; statements go to the next one, so that it always dominates them.
  auto* entry = llvm::BasicBlock::Create(context_, "entry", function_);
  levels_.push_back({entry, {}, ""});
  builder_.SetInsertPoint(entry);
  builder_.SetCurrentDebugLocation(llvm::DILocation::get(context_, 1, 0, scope_));
}

void Emitter::bind(std::string const& name, Value* value,
                   std::optional<arith::Interval> const& values) {
  variables_[name] = value;
  variable_order_.push_back(name);
  if (values) ranges_.set(name, *values);
}

void Emitter::fail(std::string code, std::string message) {
  if (status_) status_ = environment_failed(std::move(code), std::move(message));
}

void Emitter::finish() {
  finish_stores_past_caches();
  if (parts_.device)
    builder_.CreateRetVoid();
  else
    builder_.CreateRet(builder_.getInt32(0));
}

void Emitter::locate(StmtNode const& node) {
  auto line = parts_.lines.find(&node);
  line_ = line != parts_.lines.end() ? line->second : 0;
  if (line_ > 0)
    builder_.SetCurrentDebugLocation(llvm::DILocation::get(context_, unsigned(line_), 0, scope_));
}

void Emitter::statement(Stmt const& s) {
  if (failed()) return;
  auto located = [&](auto const& node, auto member) {
    locate(node);
    (this->*member)(node);
  };
  dispatch(
      *s,
      overloaded{
          [&](For const& node) { located(node, &Emitter::loop); },
          [&](Store const& node) { located(node, &Emitter::store); },
          [&](If const& node) { located(node, &Emitter::condition); },
          [&](Prefetch const& node) { located(node, &Emitter::prefetch); },
          [&](Alloc const& node) {
            allocation(node);
            statement(node.body);
          },
          [&](Seq const& node) {
            for (Stmt const& child : node.stmts) statement(child);
          },
          [&](IntrinsicCall const& node) {
            locate(node);
            IntrinsicCall const& made = made_call(node, parts_.device);
            auto const* code = code_of(made, parts_.device);
            if (!code)
              return fail("unsupported_intrinsic",
                          fmt::format("{} has no code on this target", made.intrinsic->name));
            std::vector<Value*> operands;
            for (Operand const& one : made.operands) {
              Expr first = arith::first_of(one);
              auto const* load = one.axes.empty() ? nullptr : first.as<Load>();
              operands.push_back(load ? pointer(load->buffer, load->indices[0])
                                      : expression(first));
            }
            (*code)(builder_, operands);
          },
          [&](Block const& node) { unsupported("the block " + node.name); },
          [&](Let const& node) {
            locate(node);
            named(
                node.var.to<Variable>().name, [&] { return expression(node.value); },
                node.var.type() == DType::kI64 ? arith::bounds(node.value, ranges_) : std::nullopt,
                node.body);
          },
      });
}

void Emitter::unsupported(std::string const& what) {
  fail("unsupported_statement", what + " has no code on this target");
}

std::vector<std::string> Emitter::registers_written(Stmt const& s) const {
  std::set<std::string> names;
  walk(s, [&](Stmt const& x) {
    auto const* store = x.as<Store>();
    if (store && store->buffer->scope == "register" && registers_.contains(store->buffer->name))
      names.insert(store->buffer->name);
    return true;
  });
  return {names.begin(), names.end()};
}

/// Places were given before; checked code makes every allocation unwritten again.
void Emitter::allocation(Alloc const& node) {
  if (!parts_.checks || node.buffer->scope == "register") return;
  if (node.buffer->scope == kWorkspaceScope) tasks_of_[node.buffer->name] = tasks_;
  fill_with_poison(node.buffer);
}

/// As a loop's counter: tasks below know it, and what is made of it has a place before the body.
void Emitter::named(std::string const& name, Side const& value,
                    std::optional<arith::Interval> const& values, Stmt const& body) {
  auto* before = llvm::BasicBlock::Create(context_, "", function_);
  auto* inside = llvm::BasicBlock::Create(context_, "", function_);
  builder_.CreateBr(before);
  builder_.SetInsertPoint(before);
  bind(name, value(), values);
  llvm::BasicBlock* known = builder_.GetInsertBlock();  // a division in the value has blocks
  builder_.CreateBr(inside);
  levels_.push_back({known, {}, name});
  builder_.SetInsertPoint(inside);
  statement(body);
  ranges_.erase(name);
  levels_.pop_back();
  variable_order_.pop_back();
  variables_.erase(name);
}

/// Of a device function every thread runs one iteration; vector loops are left to LLVM.
void Emitter::loop(For const& node) {
  if (node.loop_kind == LoopKind::kParallel && parts_.device)
    return unsupported("the parallel loop " + node.name());
  if (node.loop_kind == LoopKind::kParallel) return parallel(node);
  if (parts_.device && node.loop_kind == LoopKind::kBind)
    if (Value* counter = parts_.device->counter(builder_, node.bind))
      return named(
          node.name(), [&] { return counter; }, counts_of(node, ranges_), node.body);
  if (node.loop_kind == LoopKind::kBind || (node.loop_kind == LoopKind::kVector && !parts_.device))
    return fail("unsupported_statement",
                fmt::format("the loop {} has no code on this target", node.name()));
  Value* extent = narrow(node.extent);
  if (!extent) extent = expression(node.extent);
  auto* before = builder_.GetInsertBlock();
  auto* body = llvm::BasicBlock::Create(context_, "", function_);
  auto* after = llvm::BasicBlock::Create(context_, "", function_);
  builder_.CreateBr(body);  // verified programs: at least one iteration
  builder_.SetInsertPoint(body);
  auto* variable = builder_.CreatePHI(extent->getType(), 2);
  variable->addIncoming(llvm::Constant::getNullValue(extent->getType()), before);
  std::map<std::string, llvm::PHINode*> phis;
  for (std::string const& name : registers_written(node.body)) {
    auto* phi = builder_.CreatePHI(registers_[name]->getType(), 2);
    phi->addIncoming(registers_[name], before);
    phis[name] = phi;
    registers_[name] = phi;
  }
  bind(node.name(), builder_.CreateSExt(variable, builder_.getInt64Ty()), counts_of(node, ranges_));
  // What is placed for the whole loop stands in a block of its own, before anything of the body.
  auto* inside = llvm::BasicBlock::Create(context_, "", function_);
  builder_.CreateBr(inside);
  levels_.push_back({body, {}, node.name()});
  builder_.SetInsertPoint(inside);
  statement(node.body);
  locate(node);
  levels_.pop_back();
  variable_order_.pop_back();
  variables_.erase(node.name());
  ranges_.erase(node.name());
  Value* next =
      builder_.CreateAdd(variable, llvm::ConstantInt::get(variable->getType(), 1), "", true, true);
  variable->addIncoming(next, builder_.GetInsertBlock());
  for (auto& [name, phi] : phis) phi->addIncoming(registers_[name], builder_.GetInsertBlock());
  auto* branch = builder_.CreateCondBr(builder_.CreateICmpSLT(next, extent), body, after);
  tell_of(node, branch, phis.size() > 1);  // several sums in registers: a tile
  builder_.SetInsertPoint(after);
}

/// The body becomes a function (closure, task); the closure holds the buffers and the loop
/// variables around.
void Emitter::parallel(For const& node) {
  auto* pointer = llvm::PointerType::get(context_, 0);
  auto* i64 = builder_.getInt64Ty();
  auto* task_type = llvm::FunctionType::get(builder_.getInt32Ty(), {pointer, i64}, false);
  auto* task = llvm::Function::Create(
      task_type, llvm::Function::InternalLinkage,
      fmt::format("{}.task{}", function_->getName().str(), parts_.tasks++), parts_.module);
  task->copyAttributesFrom(function_);
  task->setLinkage(llvm::Function::InternalLinkage);

  std::vector<std::string> captured = variable_order_;
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  auto* closure_type = llvm::ArrayType::get(i64, captured.size() + 1);
  Value* closure = entry.CreateAlloca(closure_type);
  auto slot = [&](llvm::IRBuilder<>& b, Value* base, size_t i) {
    return b.CreateConstInBoundsGEP1_64(i64, base, i);
  };
  builder_.CreateStore(buffers_, slot(builder_, closure, 0));
  for (size_t i = 0; i < captured.size(); ++i)
    builder_.CreateStore(variables_[captured[i]], slot(builder_, closure, i + 1));

  {
    Value* none = llvm::ConstantPointerNull::get(pointer);
    Emitter inner(parts_, task, none, none);
    inner.buffers_ = inner.builder_.CreateLoad(pointer, slot(inner.builder_, task->getArg(0), 0));
    for (size_t i = 0; i < captured.size(); ++i)
      inner.bind(captured[i],
                 inner.builder_.CreateLoad(i64, slot(inner.builder_, task->getArg(0), i + 1)));
    inner.bind(node.name(), task->getArg(1));
    inner.tasks_ = tasks_;
    inner.tasks_.push_back(&node);
    inner.tasks_of_ = tasks_of_;
    inner.begin_body();
    inner.statement(node.body);
    inner.finish();
    if (inner.failed()) status_ = inner.status();
  }

  finish_stores_past_caches();
  // runtime->parallel_for(runtime->pool, tasks, task, closure)
  auto* runtime_type = llvm::StructType::get(context_, {builder_.getInt32Ty(), pointer, pointer});
  Value* call = builder_.CreateLoad(pointer, builder_.CreateStructGEP(runtime_type, runtime_, 1));
  Value* pool = builder_.CreateLoad(pointer, builder_.CreateStructGEP(runtime_type, runtime_, 2));
  auto* call_type =
      llvm::FunctionType::get(builder_.getInt32Ty(), {pointer, i64, pointer, pointer}, false);
  Value* code =
      builder_.CreateCall(call_type, call, {pool, expression(node.extent), task, closure});
  auto* stop = llvm::BasicBlock::Create(context_, "", function_);
  auto* go_on = llvm::BasicBlock::Create(context_, "", function_);
  builder_.CreateCondBr(builder_.CreateICmpNE(code, builder_.getInt32(0)), stop, go_on);
  builder_.SetInsertPoint(stop);
  builder_.CreateRet(code);
  builder_.SetInsertPoint(go_on);
}

void Emitter::begin_body() {
  auto* body = llvm::BasicBlock::Create(context_, "", function_);
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
}

void Emitter::condition(If const& node) {
  if (node.condition.lanes() > 1) return masked(node);
  Value* test = expression(node.condition);
  auto* yes = llvm::BasicBlock::Create(context_, "", function_);
  auto* no = llvm::BasicBlock::Create(context_, "", function_);
  auto* end = llvm::BasicBlock::Create(context_, "", function_);
  builder_.CreateCondBr(test, yes, no);
  auto before = registers_;
  builder_.SetInsertPoint(yes);
  statement(node.then_body);
  auto* yes_end = builder_.GetInsertBlock();
  builder_.CreateBr(end);
  auto after_yes = registers_;
  registers_ = before;
  builder_.SetInsertPoint(no);
  if (node.else_body) statement(node.else_body);
  auto* no_end = builder_.GetInsertBlock();
  builder_.CreateBr(end);
  builder_.SetInsertPoint(end);
  for (auto& [name, value] : before) {
    Value* a = after_yes[name];
    Value* b = registers_[name];
    if (a == b) continue;
    auto* phi = builder_.CreatePHI(a->getType(), 2);
    phi->addIncoming(a, yes_end);
    phi->addIncoming(b, no_end);
    registers_[name] = phi;
  }
}

/// Lanes whose condition fails neither load nor store.
void Emitter::masked(If const& node) {
  if (node.else_body) return fail("unsupported_statement", "a masked condition has no else");
  Value* outer = mask_;
  Value* test = expression(node.condition);
  mask_ = outer ? builder_.CreateAnd(outer, test) : test;
  statement(node.then_body);
  mask_ = outer;
}

void Emitter::prefetch(Prefetch const& node) {
  auto const& element = node.element.to<Load>();
  if (element.buffer->scope == "register" || element.lanes > 1)
    return fail("unsupported_statement", "only elements in memory are prefetched, one by one");
  Value* address = pointer(element.buffer, element.indices[0]);
  // For reading (0), into all levels (3), as data (1).
  builder_.CreateIntrinsic(
      llvm::Intrinsic::prefetch, {address->getType()},
      {address, builder_.getInt32(0), builder_.getInt32(3), builder_.getInt32(1)});
}

void Emitter::store(Store const& node) {
  if (node.buffer->scope != "register") note_copies(node.value);  // a sum is computed with
  Value* value = expression(node.value);
  if (node.buffer->scope == "register") {
    Value*& kept = registers_[node.buffer->name];
    kept = mask_ && kept ? builder_.CreateSelect(mask_, value, kept) : value;
    return;
  }
  check_range(node.buffer, node.indices[0], CheckKind::kWrite);
  int lanes = std::max(node.value.lanes(), node.indices[0].lanes());
  value = to_memory(value, node.buffer->type);
  llvm::Align align{uint64_t(size_of(node.buffer->type))};
  auto const* ramp = node.indices[0].as<Ramp>();
  bool past_caches = !mask_ && lanes > 1 && said_of(node, kNontemporal);
  if (ramp && is_int(ramp->stride, 1)) {
    Value* address = pointer(node.buffer, ramp->base);
    if (past_caches)
      store_past_caches(node, value, address, align);
    else if (mask_)
      reaching(node.buffer, builder_.CreateMaskedStore(value, address, align, mask_));
    else
      reaching(node.buffer, builder_.CreateAlignedStore(value, address, align));
  } else if (lanes > 1) {
    Value* addresses = builder_.CreateGEP(value->getType()->getScalarType(), base(node.buffer),
                                          expression(node.indices[0]));
    Value* mask = mask_ ? mask_
                        : llvm::Constant::getAllOnesValue(
                              llvm::FixedVectorType::get(builder_.getInt1Ty(), unsigned(lanes)));
    reaching(node.buffer, builder_.CreateMaskedScatter(value, addresses, align, mask));
  } else if (mask_) {
    fail("unsupported_statement", "a scalar is stored under a mask");
  } else {
    reaching(node.buffer,
             builder_.CreateAlignedStore(value, pointer(node.buffer, node.indices[0]), align));
  }
}

}  // namespace tw
