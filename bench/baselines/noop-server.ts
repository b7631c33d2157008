import { Router } from '@koa/router';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';

// Baseline: the same stack (Koa, its router, its body parser) with a constant answer.

const router = new Router();
router.post('/v1.0/:tenantId/servers/:serverId', (ctx) => {
  ctx.body = { id: 1, title: 'nothing done' };
});
router.post('/:tenantId/servers/:serverId', (ctx) => {
  ctx.body = { id: 1, title: 'nothing done' };
});

new Koa()
  .use(bodyParser())
  .use(router.routes())
  .use(router.allowedMethods())
  .listen(Number(process.argv[2]), '127.0.0.1');
