// What the printed Metal names, as C++ that any clang takes: to see that the text is well formed
// and well typed, not that Apple's compiler takes it. Memories are clang's own numbered ones: a
// pointer into one becomes none into another, but by a cast.
#pragma once

#define kernel
#define device __attribute__((address_space(1)))
#define constant __attribute__((address_space(2)))
#define threadgroup __attribute__((address_space(3)))

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define TW_VECTORS(type)                                    \
  typedef type type##2 __attribute__((ext_vector_type(2))); \
  typedef type type##3 __attribute__((ext_vector_type(3))); \
  typedef type type##4 __attribute__((ext_vector_type(4)));
TW_VECTORS(char)
TW_VECTORS(uchar)
TW_VECTORS(short)
TW_VECTORS(ushort)
TW_VECTORS(int)
TW_VECTORS(uint)
TW_VECTORS(long)
TW_VECTORS(ulong)
TW_VECTORS(float)

struct half {
  explicit half(float);
  explicit operator float() const;
  ushort bits;
};
template <typename To, typename From>
To as_type(From from) {
  return __builtin_bit_cast(To, from);
}

#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()

namespace metal {

enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2 };
constexpr mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags(int(a) | int(b)); }
void threadgroup_barrier(mem_flags);

float fabs(float);
float floor(float);
float ceil(float);
float rint(float);
float fmod(float, float);

namespace precise {
float exp(float);
float log(float);
float sqrt(float);
float tanh(float);
float sin(float);
float cos(float);
float pow(float, float);
}  // namespace precise

}  // namespace metal
