#include "tests/device/test_kernels.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>

#include "targets/cpu/compiler/cpu_machine.h"
#include "targets/cpu/hardware/detect.h"
#include "targets/shared/link/link.h"

namespace tw::test {

Result<Emitted> generate_text(std::string_view ir, CodeTier tier) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(ir, diagnostic, context);
  if (!module) return bad_input("bad_ir", diagnostic.getMessage().str());
  TRY_ASSIGN(Machine machine, create_cpu_machine(detect_host()));
  return machine.generate(*module, tier);
}

Result<std::vector<std::byte>> build_library(std::string_view ir, CodeTier tier) {
  TRY_ASSIGN(Emitted emitted, generate_text(ir, tier));
  std::vector<std::byte> objects[] = {std::move(emitted.object)};
  return link_shared_library(objects);
}

std::string_view common_kernels() {
  return R"(
define i32 @add(ptr %buffers, ptr %runtime) {
entry:
  %pa = load ptr, ptr %buffers
  %sb = getelementptr ptr, ptr %buffers, i64 1
  %pb = load ptr, ptr %sb
  %sc = getelementptr ptr, ptr %buffers, i64 2
  %pc = load ptr, ptr %sc
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %ai = getelementptr float, ptr %pa, i64 %i
  %bi = getelementptr float, ptr %pb, i64 %i
  %ci = getelementptr float, ptr %pc, i64 %i
  %a = load float, ptr %ai
  %b = load float, ptr %bi
  %c = fadd float %a, %b
  store float %c, ptr %ci
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 1024
  br i1 %more, label %loop, label %done
done:
  ret i32 0
}

define internal i32 @scale_task(ptr %buffers, i64 %task) {
entry:
  %pa = load ptr, ptr %buffers
  %sc = getelementptr ptr, ptr %buffers, i64 1
  %pc = load ptr, ptr %sc
  %first = mul i64 %task, 256
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %at = add i64 %first, %i
  %ai = getelementptr float, ptr %pa, i64 %at
  %ci = getelementptr float, ptr %pc, i64 %at
  %a = load float, ptr %ai
  %c = fmul float %a, 2.0
  store float %c, ptr %ci
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 256
  br i1 %more, label %loop, label %done
done:
  ret i32 0
}

define i32 @scale(ptr %buffers, ptr %runtime) {
  %sf = getelementptr i8, ptr %runtime, i64 8
  %parallel = load ptr, ptr %sf
  %sp = getelementptr i8, ptr %runtime, i64 16
  %pool = load ptr, ptr %sp
  %code = call i32 %parallel(ptr %pool, i64 4, ptr @scale_task, ptr %buffers)
  ret i32 %code
}

define internal i32 @crash_task(ptr %buffers, i64 %task) {
  %at = add i64 %task, 4096
  %bad = inttoptr i64 %at to ptr
  store volatile i8 1, ptr %bad
  ret i32 0
}

define i32 @crash_in_task(ptr %buffers, ptr %runtime) {
  %sf = getelementptr i8, ptr %runtime, i64 8
  %parallel = load ptr, ptr %sf
  %sp = getelementptr i8, ptr %runtime, i64 16
  %pool = load ptr, ptr %sp
  %code = call i32 %parallel(ptr %pool, i64 8, ptr @crash_task, ptr %buffers)
  ret i32 %code
}

define i32 @overflow(ptr %buffers, ptr %runtime) {
  %frame = alloca i8, i64 1000
  store volatile i8 1, ptr %frame
  %code = call i32 @overflow(ptr %frame, ptr %runtime)
  store volatile i8 2, ptr %frame
  ret i32 %code
}

define i32 @crash(ptr %buffers, ptr %runtime) {
  %bad = inttoptr i64 16 to ptr
  store volatile i32 1, ptr %bad
  ret i32 0
}

define i32 @divide(ptr %buffers, ptr %runtime) {
  %slot = load ptr, ptr %buffers
  %zero = load volatile i32, ptr %slot
  %bad = sdiv i32 7, %zero
  ret i32 %bad
}

define i32 @hang(ptr %buffers, ptr %runtime) {
entry:
  %flag = load ptr, ptr %buffers
  br label %loop
loop:
  %value = load volatile i32, ptr %flag
  br label %loop
}

define i32 @hang_alone(ptr %buffers, ptr %runtime) {
entry:
  %flag = alloca i32
  br label %loop
loop:
  %value = load volatile i32, ptr %flag
  br label %loop
}

define i32 @refuse(ptr %buffers, ptr %runtime) {
  ret i32 7
}

define i32 @workspace(ptr %buffers, ptr %runtime) {
  %pointer = load ptr, ptr %buffers
  %null = icmp eq ptr %pointer, null
  %code = select i1 %null, i32 0, i32 1
  ret i32 %code
}
)";
}

std::string_view writing_kernels() {
  llvm::InitializeNativeTargetAsmParser();
  return R"(
@elsewhere = private constant [26 x i8] c"/tmp/tilewright-not-mine\00\00"
@mine = private constant [5 x i8] c"mine\00"

define internal i32 @make_file(ptr %path) {
  %got = call i64 asm sideeffect "syscall", "={rax},{rax},{rdi},{rsi},{rdx},~{rcx},~{r11},~{memory}"(i64 2, ptr %path, i64 577, i64 420)
  %failed = icmp slt i64 %got, 0
  %number = sub i64 0, %got
  %code = select i1 %failed, i64 %number, i64 0
  %short = trunc i64 %code to i32
  ret i32 %short
}

define i32 @write_elsewhere(ptr %buffers, ptr %runtime) {
  %code = call i32 @make_file(ptr @elsewhere)
  ret i32 %code
}

define i32 @write_here(ptr %buffers, ptr %runtime) {
  %code = call i32 @make_file(ptr @mine)
  ret i32 %code
}
)";
}

}  // namespace tw::test
