/* Marks the declarations of a public header: C ones, also for C++, of the library's symbols. What stands between the two is also what
 * LuaJIT hosts give to ffi.cdef: no macros, and no function with a body. */
#pragma once

/* clang-format off */
#ifdef __cplusplus
#define ROBO_API_BEGIN _Pragma("GCC visibility push(default)") extern "C" {
#define ROBO_API_END } _Pragma("GCC visibility pop")
#else
#define ROBO_API_BEGIN _Pragma("GCC visibility push(default)")
#define ROBO_API_END _Pragma("GCC visibility pop")
#endif
