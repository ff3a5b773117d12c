/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in, as strict about types as the kernel's. */
#ifndef min
#define min(x, y) ({				\
	__typeof__(x) _x = (x);			\
	__typeof__(y) _y = (y);			\
						\
	(void)(&_x == &_y);			\
	_x < _y ? _x : _y; })
#endif
